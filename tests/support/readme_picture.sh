#!/bin/sh
# Draws the picture that README opens with, from the simulated market: `make picture`.
set -e
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export IA_HOME="$home/ia" IA_MARKET_ADAPTER=demo IA_NOW=2024-03-15T16:30+08:00 IA_CRONTAB=/bin/false
mkdir -p "$IA_HOME" man/pictures
ia trade deposit 200000 --date 2023-06-01
for trade in "buy 200 68 2023-10-25" "buy 200 75.4 2024-01-10" "sell 200 87.4 2024-03-06"; do
    set -- $trade
    ia trade "$1" 300750 "$2" --price "$3" --date "$4" --override --because "README"
done
for lang in en zh; do
    suffix=$([ $lang = en ] || echo .zh)
    ia --lang $lang chart 300750 -n 120 --panes macd --target 95 --width 900 --height 480 -o "man/pictures/chart$suffix.svg"
done
