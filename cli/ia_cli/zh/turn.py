"""Chinese of the turn: asking, the context, models, tools by hand, subagents."""

CATALOG = {
    "the answer lacks the prices that it needed: {reason}": "回答缺少所需的行情：{reason}",
    "how the hosts stand: `ia doctor`": "各主机的状况：`ia doctor`",
    "Ask, and let ia look, calculate, remember and answer.": "提问，由 ia 看行情、计算、回忆并作答。",
    "The reply streams to standard output. Standard input comes along as data, never as instructions; canonical OHLCV on"
    " it is what gets computed on. /NAME runs a skill. What only you may do (soul, preferences, tasks, skills, sending)"
    " is proposed: `ia pending`. Without a model (`ia config set model …`) the embedded analyst answers, which works by"
    " rules.": (
        "回答边生成边写到标准输出。标准输入作为资料一并带上，绝不当作指令；若是规范 OHLCV，就在它上面计算。/NAME 运行技能。"
        "只有你能做的事（灵魂、偏好、任务、技能、对外发送）只会成为提案：`ia pending`。"
        "没有配置模型（`ia config set model …`）时，由内置的规则分析员作答。"
    ),
    "Any model of the `llm` library answers, once `llm keys set …` has its key. A call that would pass a cap (turn.max_cost,"
    " turn.max_cost_day, turn.max_cost_month; turn.max_tokens and its likes) is not made; see `ia usage`. turn.timeout"
    " bounds a model's silence, turn.deadline the whole turn, turn.max_steps its rounds of tool calls.": (
        "配好密钥（`llm keys set …`）后，`llm` 库的任何模型都能作答。会超过上限（turn.max_cost、turn.max_cost_day、turn.max_cost_month"
        "，以及 turn.max_tokens 等）的调用不会发出，见 `ia usage`。turn.timeout 限制模型沉默多久，turn.deadline 限制整轮的时"
        "间，turn.max_steps 限制工具调用的轮数。"
    ),
    "JSON is turn, session, model, reply, tools (name, args, ok, ms), artifacts (paths that were written), pending"
    " (numbers of proposals), usage, cut (null, or why the reply is not whole: length, filter). An answer that is cut at"
    " the model's limit is printed with a line on standard error, and status 0; a stream that stops without an end is"
    " 75.": (
        "JSON 依次是 turn、session、model、reply、tools（name、args、ok、ms）、artifacts（写下的路径）、pending（提案编"
        "号）、usage、cut（null，或回答不完整的原因：length、filter）。达到模型长度上限而被截断的回答照常输出，标准错误会说明，状态 0；"
        "没有结束标记就中断的流是 75。"
    ),
    "the answer is cut: it reached the model's limit of length": "回答被截断：达到了模型的长度上限",
    "the answer is cut: the provider's filter stopped it": "回答被截断：被服务商的过滤器中止",
    "{model}: the answer broke off before its end": "{model}：回答没有到结尾就中断了",
    "{model}: the answer is longer than {limit} bytes and was stopped": "{model}：回答超过 {limit} 字节，已中止",
    "Status 69: no such model, no key, or it refused; 75: it was silent or busy; 69 and 75 also where the prices that the answer needed were refused, or could not be had for now; 77: a cap, or a skill that is"
    " disabled; 124: the deadline. What the tools did until then is kept, and the session can go on.": (
        "状态 69：没有这个模型、没有密钥或被拒绝；75：没有回音或正忙；回答所需的行情被拒绝或暂时取不到时也是 69 与 75；77：超过上限，或技能已停用；124：超过总时限。到那时为止工具做过的都保留，会话可以接着用。"
    ),
    "Go on with this session; without it a new one begins.": "接着这个会话；不给则新开一个。",
    "Ask this model; any that `llm models` lists, or ia-offline.": "用这个模型：`llm models` 列出的任何一个，或 ia-offline。",
    "Print exactly what a turn would send, with the size of each part.": "原样输出一轮将发送的内容，并标明每部分的大小。",
    "Sizes are estimated tokens. Nothing is sent and nothing is written.": "大小是估算的 token 数。不发送，也不写入。",
    "The session whose messages come along.": "带上这个会话的消息。",
    "List the tools of models, and call one by hand.": "列出模型可用的工具，并可手工调用。",
    "The same router, limits and audit trail as for a model. read looks, write writes, confirm only ever proposes.": (
        "与模型走同一个路由、同样的限制和审计。read 只看，write 会写，confirm 只会提出提案。"
    ),
    "List the tools: name, risk, arguments, what each does.": "列出工具：名称、风险、参数、作用。",
    "Print a tool as a model is told of it: name, description and JSON Schema.": (
        "按模型所见输出一个工具：名称、说明和 JSON Schema。"
    ),
    "Call a tool with a JSON object of arguments, and print what it returns as JSON.": (
        "用一个 JSON 对象作参数调用工具，并以 JSON 输出它的返回。"
    ),
    "JSON may be - for standard input; without it there are no arguments.": "JSON 可为 -，表示标准输入；不给则没有参数。",
    "Give a task to a subagent and print its summary.": "把一项任务交给子代理，输出它的汇总。",
    "It has the limits of the soul, few tools, and nothing of the memory or the conversation. It hands back points,"
    " evidence and the notes it wrote.": (
        "子代理只有灵魂的边界和少量工具，看不到记忆与对话。它交回要点、证据和写下的笔记。"
    ),
    "researcher, reviewer, planner, or who it should be.": "researcher、reviewer、planner，或说明它是谁。",
    "Only these tools; fewer than the role has.": "只给这些工具；只能比角色已有的少。",
    "Ask this model.": "用这个模型。",
    "proposal {number} waits: `ia pending {number}` shows it, `ia approve {number}`": (
        "提案 {number} 等待决定：`ia pending {number}` 查看，`ia approve {number}` 批准"
    ),
    "standard input is larger than {limit} bytes": "标准输入超过 {limit} 字节",
    "waiting for standard input; `< /dev/null` does without it": "在等标准输入；不需要就加 `< /dev/null`",
    "nothing came on standard input for {seconds:g} s": "标准输入 {seconds:g} 秒没有内容",
    "the arguments are not JSON: {reason}": "参数不是 JSON：{reason}",
    "the arguments are nested too deeply": "参数嵌套过深",
    "as in {example}": "例如 {example}",
    # turn
    "the message is empty": "消息是空的",
    'try: ia turn "帮我看看宁德时代最近怎么样"': '试试：ia turn "帮我看看宁德时代最近怎么样"',
    "the message is longer than {limit} characters": "消息超过 {limit} 个字符",
    "{model} has no price: caps in money do not count it, and one command may use {tokens} tokens; set"
    " prices.{model}.input and .output, or turn.max_tokens": (
        "{model} 没有单价：金额上限不计它，一条命令最多用 {tokens} 个 token；可设置 prices.{model}.input 和 .output，或 turn.max_tokens"
    ),
    "{model} came to no answer in {steps} steps": "{model} 在 {steps} 步内没有给出回答",
    "`ia config set turn.max_steps` changes the limit": "`ia config set turn.max_steps` 可改上限",
    "{reason}; trying again": "{reason}；再试一次",
    # models
    "{model}: no such model": "{model}：没有这个模型",
    "`llm models` lists them; llm plugins bring more": "`llm models` 列出全部；llm 插件可带来更多",
    "llm cannot list its models: {reason}": "llm 列不出模型：{reason}",
    "look at {folder}: extra-openai-models.yaml, aliases.json": "看看 {folder}：extra-openai-models.yaml、aliases.json",
    "{model} cannot call tools": "{model} 不能调用工具",
    "`llm models --tools` lists those that can": "`llm models --tools` 列出可以的",
    "{model}: there is no key": "{model}：没有密钥",
    "`llm keys set {alias}`": "`llm keys set {alias}`",
    "`llm keys set {alias}`, or export {variable}": "`llm keys set {alias}`，或 export {variable}",
    "`llm keys` stores one": "`llm keys` 可保存",
    "{model}: the key was refused ({status})": "{model}：密钥被拒绝（{status}）",
    "`llm keys` stores another": "`llm keys` 可换一个",
    "{model}: {reason}": "{model}：{reason}",
    "{model}: too many requests, or no credit left: {reason}": "{model}：请求过多，或额度已用完：{reason}",
    "wait a little, or look at the account with the provider": "稍等再试，或查看服务商那边的账户",
    "{model}: the provider has a problem: {reason}": "{model}：服务商出了问题：{reason}",
    "{model}: the provider cannot be reached: {reason}": "{model}：连不上服务商：{reason}",
    "{model}: an answer that cannot be read": "{model}：读不懂的回答",
    "{model}: an answer that cannot be read: {reason}": "{model}：读不懂的回答：{reason}",
    "{model}: nothing came for {seconds:g} s": "{model}：{seconds:g} 秒没有回音",
    "`ia config set turn.timeout` changes the patience": "`ia config set turn.timeout` 可改等待时间",
    "the turn took longer than {seconds:g} s": "这一轮超过了 {seconds:g} 秒",
    "`ia config set turn.deadline` changes it": "`ia config set turn.deadline` 可改",
    "the embedded analyst, which works by rules": "内置分析员，按规则工作",
    "`ia config set model …` for a language model; `llm models`": "要用语言模型：`ia config set model …`；`llm models` 列出全部",
    "{model}, without a price: caps in money do not count it": "{model}，没有单价：金额上限不计它",
    "set prices.{model}.input and .output": "设置 prices.{model}.input 和 .output",
    "there: {count}": "共 {count} 个",
    "the answer was stopped before it passed a cap": "回答在超过上限之前停下了",
    "`ia usage` shows what was spent of which": "`ia usage` 显示各上限用了多少",
    # tools
    "{tool}: no such tool": "{tool}：没有这个工具",
    "{tool}: no such tool: {reason}": "{tool}：没有这个工具：{reason}",
    "did you mean {close}?": "是想说 {close} 吗？",
    "`ia tool list` shows them": "`ia tool list` 列出全部",
    "{tool}: {problems}": "{tool}：{problems}",
    "arguments of {tool}: {usage}": "{tool} 的参数：{usage}",
    "{tool}: the arguments are nested too deeply": "{tool}：参数嵌套太深",
    "{tool}: the arguments are no JSON object": "{tool}：参数不是 JSON 对象",
    "{tool}: {count} calls in a minute are enough": "{tool}：一分钟 {count} 次够了",
    "{tool}: longer than {seconds:g} s": "{tool}：超过 {seconds:g} 秒",
    "no prices were looked at yet": "还没有看过行情",
    "call market.ohlcv first, or give symbol": "先调用 market.ohlcv，或给出 symbol",
    # subagents
    "a subagent has no subagents": "子代理不能再有子代理",
    "subagents cannot run here": "这里不能运行子代理",
    "`ia turn` and `ia fork` run them": "`ia turn` 和 `ia fork` 可以",
    "a subagent needs a task": "子代理需要一项任务",
    "{tool} is no tool that this subagent could have": "{tool} 不是这个子代理能有的工具",
    "it could have: {known}": "它能有：{known}",
    "the subagent handed back no JSON object": "子代理没有交回 JSON 对象",
    "the subagent handed back no JSON object of the form that was asked for": "子代理没有交回所要求格式的 JSON 对象",
    "{count} calls in one reply are enough": "一次回复里 {count} 次调用已经够了",
    "{tool}: the arguments are not valid UTF-8, or nested too deeply": "{tool}：参数不是有效的 UTF-8，或嵌套太深",
}
