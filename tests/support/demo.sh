# The main job, end to end, on the simulated market and without a key: a question in, a researched note out, found again,
# and corrected by a coach. Then the same organs by hand, as commands in a pipe. Every command is shown before its output.
set -eu
IA_HOME=$(mktemp -d) && export IA_HOME
trap 'rm -rf "$IA_HOME"' EXIT
export IA_MARKET_ADAPTER=demo IA_MODEL=ia-offline

run() {
  printf '\n$ %s\n' "$1"
  sh -c "$1" </dev/null
}

echo "Workspace of this demo: $IA_HOME (removed at the end)"
run "ia init --profile invest | tail -n 4"
run "ia turn '帮我看看宁德时代最近怎么样' -s demo"
run "ia note list --all"
run "ia note read research/宁德时代/\$(date +%F) | head -n 12"
run "ia recall 宁德时代 -n 3"
run "ia turn '你最近总是低估市场情绪的影响，分析时要多考虑资金面。' -s demo"
run "ia pending; ia approve 6 --yes"
run "ia turn '/compare 宁德时代 比亚迪' -s demo | head -n 12"
run "ia ohlcv 300750 | ia compute 'sma(close, 5) - sma(close, 20)'"
run "ia indicator calc MACD --symbol 300750"
run "ia ohlcv 300750 2>/dev/null > \$IA_HOME/300750.csv; ia where \$IA_HOME/300750.csv"
run "ia --now 2024-03-15T16:00+08:00 ohlcv 300750 2>/dev/null | tail -n 1"
run "ia log --kind turn"
