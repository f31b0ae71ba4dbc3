"""Chinese of the mouth: sending, channels, secrets."""

CATALOG = {
    # sending
    "a message has at most {limit} characters, its title {title}": "一条消息最多 {limit} 个字符，标题最多 {title} 个",
    "{channel}: not sent ({reason}); it is in the inbox: `ia send --list`": "{channel}：未发出（{reason}）；已放进收件箱：`ia send --list`",
    "{channel}: not sent yet ({reason}); it is tried again": "{channel}：尚未发出（{reason}）；会再试",
    "{channel}: interrupted while sending: it may have arrived": "{channel}：发送时被中断：可能已经送达",
    "no answer within {seconds:.0f} s; it may have arrived": "{seconds:.0f} 秒内没有回应；可能已经送达",
    "the channel broke: {reason}": "渠道出错：{reason}",
    # channels
    "there is: {known}; add one with `ia config set channels.NAME ADDRESS`": "现有：{known}；用 `ia config set channels.名称 地址` 添加",
    "the channel {scheme} cannot be loaded: {reason}": "渠道 {scheme} 无法载入：{reason}",
    "a channel's address begins with its scheme": "渠道的地址以协议名开头",
    "such as ntfy://TOPIC or telegram:CHAT": "例如 ntfy://主题 或 telegram:聊天号",
    "{channel}: {reason}": "{channel}：{reason}",
    "`ia config set channels.NAME ADDRESS`; `ia config secret NAME`": "`ia config set channels.名称 地址`；`ia config secret 名称`",
    "{scheme}: no service of this scheme is known": "{scheme}：没有认识的服务用这个协议名",
    "the {scheme} address is not complete": "{scheme} 的地址不完整",
    "the addresses of all services: https://appriseit.com/services/": "各服务的地址写法：https://appriseit.com/services/",
    "the telegram address is not complete": "telegram 的地址不完整",
    "telegram:CHAT, a number or @name": "telegram:聊天号，写数字或 @名称",
    "telegram.token is not set": "没有设置 telegram.token",
    "`ia config secret TELEGRAM_TOKEN`": "`ia config secret TELEGRAM_TOKEN`",
    "telegram.token is not a bot's token": "telegram.token 不是机器人的令牌",
    "@BotFather gives one: 123456:ABC…": "@BotFather 会给出：123456:ABC…",
    "telegram.api is not an https address": "telegram.api 不是 https 地址",
    "the default is https://api.telegram.org": "默认是 https://api.telegram.org",
    "{scheme}: HTTP status {code}": "{scheme}：HTTP 状态 {code}",
    "{scheme}: HTTP status {code} ({reason})": "{scheme}：HTTP 状态 {code}（{reason}）",
    "{scheme}: no connection": "{scheme}：连不上",
    "connection refused": "连接被拒绝",
    "no such host": "找不到主机",
    "timed out": "超时",
    "no trusted certificate": "证书不可信",
    "no way to the host": "到不了主机",
    "{scheme}: no connection ({reason})": "{scheme}：连不上（{reason}）",
    "{scheme}: no answer; it may have arrived": "{scheme}：没有回应；可能已经送达",
    "{scheme}: the service did not take it": "{scheme}：服务没有接受",
    "{reason}; {number} of {count} parts arrived": "{reason}；{count} 段中已送达 {number} 段",
    # the inbox
    "message of {time}: {text}": "{time} 的消息：{text}",
    "not sent to {channel} ({time}: {reason}): {text}": "未能发到 {channel}（{time}：{reason}）：{text}",
    "{count} more messages: `ia send --list`": "还有 {count} 条消息：`ia send --list`",
    # ia send
    "Send a message: to yourself, or through a channel that you set up.": "发消息：发给自己，或经由设好的渠道。",
    "TEXT is the argument or standard input (-). The channel cli, which is always there, is the inbox: it is told after"
    " your next command at a terminal. Others are addresses: `ia config set channels.phone ntfy://TOPIC`, any that Apprise"
    " knows (https://appriseit.com/services/), or telegram:CHAT for a bot whose token you keep with `ia config secret"
    " TELEGRAM_TOKEN`. `ia config set messaging.default phone` makes it yours.": "TEXT 是参数或标准输入（-）。渠道 cli 总在，就是收件箱：在终端上执行下一条命令之后显示。其他渠道是地址：`ia config set channels.phone ntfy://主题`，Apprise 认识的都可以（https://appriseit.com/services/），或者 telegram:聊天号，机器人的令牌用 `ia config secret TELEGRAM_TOKEN` 保存。`ia config set messaging.default phone` 让它成为你的渠道。",
    "Each message is delivered at most once. What could not be delivered goes to the inbox, and the status tells why: 75"
    " no connection or no answer, 69 refused, 78 a channel that is not set up. A message is sent now, whatever --now says."
    " Inside a task it goes out when the task's run is done, and once, however often the run was tried.": "每条消息最多送达一次。发不出去的放进收件箱，退出状态说明原因：75 连不上或没有回应，69 被拒绝，78 渠道没有设好。消息现在就发，不管 --now 是什么。在任务中，消息在这次运行完成时发出，不管试了几次都只发一次。",
    "Channel to send through; a comma list. me is what messaging.default names.": "经由哪个渠道；用逗号分隔。me 是 messaging.default 所指的。",
    "Title, where the channel has one; else the first line.": "标题；没有标题的渠道放在第一行。",
    "List what was sent, and what could not be; newest first.": "列出发出的和没能发出的；最新的在前。",
    "How many to list.": "列出多少条。",
    "--list takes no text": "--list 不带文本",
    "nothing was sent yet": "还没有发过消息",
    "channel": "渠道",
    "error": "错误",
    "title": "标题",
    "text": "内容",
    # settings
    "channels that a model may send to besides yours; a comma list": "除你的渠道之外，模型可以发往哪些渠道；用逗号分隔",
    "channels that reach you; a comma list": "能找到你的渠道；用逗号分隔",
    "token of the Telegram bot": "Telegram 机器人的令牌",
    "where the Bot API answers": "Bot API 的地址",
    "your user id: who may write to the bot, and approve": "你的用户号：谁可以写给机器人并批准",
    "user ids of others who may write to the bot; a comma list": "其他可以写给机器人的用户号；用逗号分隔",
    "where a code for an approval is shown": "批准用的代码显示在哪里",
    "secret that signs what `ia listen webhook` takes": "`ia listen webhook` 验签用的密钥",
    "port that `ia listen webhook` listens on": "`ia listen webhook` 监听的端口",
    "where the messages of this channel go": "这个渠道的消息发到哪里",
    "{name}: a channel's name is made of a-z, 0-9, - and _; cli and me are taken": "{name}：渠道名称只用 a-z、0-9、- 和 _；cli 和 me 已被占用",
    "keep it with `ia config secret {variable}`, and write ${{{variable}}} in its place: {example}": "用 `ia config secret {variable}` 保存它，原处写 ${{{variable}}}：{example}",
    "keep it with `ia config secret TOKEN`, and write ${{TOKEN}} in its place: '{scheme}://${{TOKEN}}/…'": "用 `ia config secret TOKEN` 保存它，原处写 ${{TOKEN}}：'{scheme}://${{TOKEN}}/…'",
    "A setting comes from the environment (IA_ and the key in capitals, dots as underscores), else from config.yaml in"
    " the workspace, else it has its default. A secret is written as ${NAME}, and filled in when needed: from the"
    " environment, else from what `ia config secret NAME` keeps, which cron's jobs have too. Neither secrets nor the"
    " addresses of channels (channels.NAME) are ever printed.": "设置先取环境变量（IA_ 加大写的键，点换成下划线），再取工作区的 config.yaml，最后用默认值。密钥写成 ${NAME}，用到时才填入：先取环境变量，再取 `ia config secret NAME` 保存的值，cron 的任务也能用到。密钥和渠道的地址（channels.NAME）从不显示。",
    "{name}: {reference} does not belong here; only secrets and the addresses of channels refer to variables": "{name}：这里不能写 {reference}；只有密钥和渠道的地址可以引用变量",
    # secrets
    "export {variable}=…, or keep it for cron too: `ia config secret {variable}`": "export {variable}=…，或为 cron 也保存一份：`ia config secret {variable}`",
    ".ia/secrets: {reason}": ".ia/secrets：{reason}",
    ".ia/secrets is not a file of yours": ".ia/secrets 不是你的文件",
    ".ia/secrets can be read by others": ".ia/secrets 别人也能读",
    "chmod 600 {path}; and change the secrets": "chmod 600 {path}；并更换这些密钥",
    ".ia/secrets is damaged": ".ia/secrets 已损坏",
    "remove it, and keep your secrets again: `ia config secret NAME`": "删掉它，再重新保存密钥：`ia config secret 名称`",
    "{name!r}: a secret's name is made of letters, digits and _": "{name!r}：密钥的名称只用字母、数字和 _",
    "Keep a secret for settings that refer to it as ${NAME}; without NAME, list the names.": "保存密钥，设置里用 ${NAME} 引用它；不给 NAME 则列出名称。",
    "The value is asked for at a terminal and not shown, or read from standard input: never an argument, which other"
    " users of the machine can see. It lies in .ia/secrets of the workspace, which only you can read; a variable of the"
    " same name in the environment goes before it. --remove forgets it.": "在终端上会询问值，不显示；否则从标准输入读取：从不作为参数，那样本机其他用户看得到。它放在工作区的 .ia/secrets 里，只有你能读；环境里的同名变量优先。--remove 忘掉它。",
    "Forget the secret.": "忘掉这个密钥。",
    "there is no secret {name}": "没有密钥 {name}",
    "`ia config secret` lists them": "`ia config secret` 会列出",
    "a secret is one line of at most {limit} characters": "密钥是一行，最多 {limit} 个字符",
}
