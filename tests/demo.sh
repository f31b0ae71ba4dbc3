# The main job, end to end, on the simulated market: prices in, an indicator out, a note written, the note found again.
# Every command is shown before its output.
set -eu
IA_HOME=$(mktemp -d) && export IA_HOME
trap 'rm -rf "$IA_HOME"' EXIT
export IA_MARKET_ADAPTER=demo

run() {
  printf '\n$ %s\n' "$1"
  sh -c "$1"
}

echo "Workspace of this demo: $IA_HOME (removed at the end)"
run "ia ohlcv 宁德时代 | tail -n 3"
run "ia ohlcv 300750 | ia compute 'ta.rsi(close, 14)'"
run "ia ohlcv 300750 | ia compute 'crossover(sma(close, 5), sma(close, 20))'"
run "ia indicator calc MACD --symbol 300750"
run "ia compute 'close.pct_change().tail(250).std() * math.sqrt(250)' --symbol 300750"
run "ia note research/宁德时代/\$(date +%F) \"# 宁德时代
RSI \$(ia compute 'round(latest(rsi(close)), 1)' --symbol 300750 2>/dev/null)，动能中性（模拟行情）；等回踩 20 日线。\""
run "ia memory observe 宁德时代 '放量滞涨，留意动能衰减（模拟行情）'"
run "ia recall 动能"
run "ia ohlcv 300750 2>/dev/null > \$IA_HOME/300750.csv; ia where \$IA_HOME/300750.csv"
run "ia --now 2024-03-15T16:00+08:00 ohlcv 300750 2>/dev/null | tail -n 1"
run "ia log -n 5"
