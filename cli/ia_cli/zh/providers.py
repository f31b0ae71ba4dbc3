"""Chinese of the providers and of the bridges to other programs."""

CATALOG = {
    # ia provider
    "List, add and test providers: abilities that other programs bring.": "列出、添加、测试 provider：由别的程序带来的能力。",
    "A provider is a folder .claude/providers/NAME with a PROVIDER.md; see ia-provider(5). Its tools are commands (JSON"
    " in, JSON out) or those of an MCP server. It is given the environment that it declares and nothing more, and what"
    " it answers is data from outside: it never acts on its own.": (
        "provider 是 .claude/providers/NAME 目录，内有 PROVIDER.md，见 ia-provider(5)。它的工具是命令（JSON 进，JSON 出），"
        "或一个 MCP 服务器的工具。它只得到自己声明的环境变量；它的回答是外部资料，绝不自行生效。"
    ),
    "List the providers, their tools, and what is wrong with those that cannot be used. Status 1 where there are none.": (
        "列出各 provider、它们的工具，以及不能用的问题所在。一个也没有时状态为 1。"
    ),
    "Nothing is started.": "不启动任何程序。",
    "Propose to install a provider from a folder, a .zip or a git address.": "提出从目录、.zip 或 git 地址安装一个 provider 的提案。",
    "Shows what it starts, what it gets to see and which tools it has. `ia pending ID` shows every line of it, `ia"
    " approve ID` installs it; nothing of it runs before that.": (
        "显示它启动什么、能看到什么、有哪些工具。`ia pending ID` 逐行显示，`ia approve ID` 才安装；在此之前不会运行它的任何东西。"
    ),
    "Which provider, where the source has several.": "来源里有多个 provider 时，取哪一个。",
    "Start a provider and call its tools. Status 1 where something of it does not work.": (
        "启动一个 provider 并调用它的工具。有不工作的，状态为 1。"
    ),
    "Without TOOL each tool is called with the `test` arguments that PROVIDER.md gives it; of those without you see what"
    " models are told. An MCP server is asked for its tools: what it lists now is what models are offered until the next"
    " time.": (
        "不给 TOOL 时，每个工具用 PROVIDER.md 里的 `test` 参数调用一次；没有的则显示模型会看到的说明。"
        "对 MCP 服务器会询问它有哪些工具；在下次询问之前，模型能用的就是这次列出的。"
    ),
    "Remove a provider and print the paths that went. What was in them stays in the history of the workspace.": (
        "移除一个 provider，输出移除的路径。内容仍保留在工作区的历史里。"
    ),
    "no providers yet": "还没有 provider",
    "`ia init` brings one, `ia provider add` others": "`ia init` 会带来一个，`ia provider add` 添加别的",
    "starts for each call:": "每次调用启动：",
    "starts once, and talks MCP to:": "启动一次并以 MCP 对话：",
    "gets of the environment:": "可见的环境变量：",
    "answers with figures: you trust them, and a turn goes on as if it had read nothing from outside": "回答的都是数字：你信任它们，一轮对话读过之后不算读过外部文本",
    "gets as settings:": "得到的设置：",
    "those that its server lists; `ia provider test` asks it": "由它的服务器列出；`ia provider test` 会去询问",
    "start": "启动",
    "afterwards `ia provider test {name}` tries it": "之后用 `ia provider test {name}` 试一试",
    "not called": "未调用",
    "{tool}: no such tool of provider {name}": "provider {name} 没有工具 {tool}",
    "the arguments are no JSON object": "参数不是 JSON 对象",
    # reading
    "{name}: no such provider": "{name}：没有这个 provider",
    "`ia provider list` shows them": "`ia provider list` 可列出",
    "{path}: no front matter": "{path}：没有 front matter",
    "ia-provider(5) shows the form": "格式见 ia-provider(5)",
    "it begins with a line `---`; see ia-provider(5)": "它以一行 `---` 开头，见 ia-provider(5)",
    "{path}: the front matter must be `key: value` lines": "{path}：front matter 应是 `键: 值` 的行",
    "{path}: {field} must be {what}": "{path}：{field} 应为{what}",
    "{where} must be {what}": "{where} 应为{what}",
    "{path}: `tools` names no tool": "{path}：`tools` 里没有工具",
    "{path}: `command` or `mcp` says what to start, one of them": "{path}：启动什么要写在 `command` 或 `mcp` 里，二者取一",
    "{path}: `config` is for a command; an MCP server has `mcp.env`": "{path}：`config` 只用于命令；MCP 服务器用 `mcp.env`",
    "the folder's name, in small letters, digits and -": "目录名，由小写字母、数字和 - 组成",
    "a mapping with `command` and `env`": "含 `command` 和 `env` 的映射",
    "a mapping": "映射",
    "a mapping of arguments": "参数的映射",
    "a mapping of names": "以名称为键的映射",
    "a list": "列表",
    "a list: the program and its arguments": "列表：程序及其参数",
    "a list of words": "单词列表",
    "a list of values": "值的列表",
    "a list of names": "名称列表",
    "a list of names of variables": "环境变量名的列表",
    "a list of schemas": "schema 的列表",
    "a list of tools, each with a name": "工具列表，每个都有 name",
    "a name like calendar.trading": "形如 calendar.trading 的名称",
    "a number": "数字",
    "a schema": "schema",
    "a type, a description or a schema": "类型、说明或 schema",
    "a regular expression": "正则表达式",
    "a reference into this schema": "指向本 schema 内部的引用",
    "one of {types}": "{types} 之一",
    "read or confirm": "read 或 confirm",
    "seconds, at most {most:g}": "秒数，至多 {most:g}",
    "the schema of an object": "对象的 schema",
    "{tool} is the name of a tool of provider {other}": "{tool} 已是 provider {other} 的工具名",
    "{tool}: the names {organ}.* are ia's own": "{tool}：{organ}.* 是 ia 自己的名称",
    "call it {provider}.…": "叫它 {provider}.…",
    "the tools of {name} are not known yet": "还不知道 {name} 有哪些工具",
    "`ia provider test {name}` asks its server": "`ia provider test {name}` 会询问它的服务器",
    # starting and answering
    "provider {name} refers to ${{{variable}}}, which is not set": "provider {name} 引用了 ${{{variable}}}，但它没有设置",
    "provider {name}: {program} leaves the provider's folder": "provider {name}：{program} 越出了它的目录",
    "provider {name}: {program} is not executable": "provider {name}：{program} 不可执行",
    "chmod +x {path}, or begin the command with the program that reads it": "chmod +x {path}，或让命令以解释它的程序开头",
    "provider {name}: {program} is not there": "provider {name}：找不到 {program}",
    "it is looked for in the provider's folder, then in PATH": "先在 provider 的目录里找，再在 PATH 里找",
    "{tool} of provider {provider} cannot be started: {reason}": "provider {provider} 的 {tool} 无法启动：{reason}",
    "{tool} of provider {provider}: no answer in {seconds:g} s": "provider {provider} 的 {tool}：{seconds:g} 秒内没有回答",
    "{tool} of provider {provider}: no answer in {seconds:g} s: {quoted}": (
        "provider {provider} 的 {tool}：{seconds:g} 秒内没有回答：{quoted}"
    ),
    "{tool} of provider {provider}: more than {limit} bytes": "provider {provider} 的 {tool}：超过 {limit} 字节",
    "{tool} of provider {provider} failed with status {status}: {quoted}": (
        "provider {provider} 的 {tool} 失败，状态 {status}：{quoted}"
    ),
    "{tool} of provider {provider} failed with status {status}": "provider {provider} 的 {tool} 失败，状态 {status}",
    "{tool} of provider {provider} failed: {quoted}": "provider {provider} 的 {tool} 失败：{quoted}",
    "{tool} of provider {provider} answered with no JSON: {quoted}": "provider {provider} 的 {tool} 回答的不是 JSON：{quoted}",
    "{tool} of provider {provider} answered with nothing": "provider {provider} 的 {tool} 什么也没回答",
    "{tool}: the server of provider {provider} ended: {quoted}": "{tool}：provider {provider} 的服务器已退出：{quoted}",
    "{tool}: the server of provider {provider} ended": "{tool}：provider {provider} 的服务器已退出",
    "call {tool} with {arguments}": "调用 {tool}，参数 {arguments}",
    # installing
    "{source}: there is no PROVIDER.md in it": "{source}：其中没有 PROVIDER.md",
    "there are several providers in it: {known}": "其中有多个 provider：{known}",
    "{name}: no such provider in it": "{name}：其中没有这个 provider",
    "{path} is no text: what is installed here is text, so that it can be read first": (
        "{path} 不是文本：这里只安装文本，以便先读后装"
    ),
    "install the program by its own means, and name it in `command`": "程序请用它自己的方式安装，并在 `command` 里写它的名字",
    # the trading calendar
    "{market!r} is none of {known}": "{market!r} 不在 {known} 之中",
    "n is a number from 1 to {most}": "n 是 1 到 {most} 的数",
    "{text!r} is no date: write YYYY-MM-DD": "{text!r} 不是日期：写成 YYYY-MM-DD",
    # ia mcp
    "Serve ia's tools to another program, over MCP.": "通过 MCP 把 ia 的工具提供给别的程序。",
    "Speaks the Model Context Protocol on standard input and output, until the client leaves. In a client's settings the"
    " command is `ia` with the argument `mcp`. What needs your consent becomes a proposal: `ia pending`.": (
        "在标准输入输出上使用 Model Context Protocol，直到客户端离开。在客户端设置里，命令写 `ia`，参数写 `mcp`。"
        "需要你同意的事会成为提案：`ia pending`。"
    ),
    "A client reads web pages and mails, and hands on what they say. Its words are therefore text from outside: the notes"
    " that it writes are marked as untrusted until you accept them, what you wrote yourself stays as it is, messages are"
    " marked and reach the inbox only, and to a provider go no words of it but securities, dates and small numbers. With"
    " --trusted it writes notes as you do, its messages reach you where you are, and providers get what it likes: for a"
    " client that reads nothing but what you type. What needs your consent is a proposal then too.": (
        "客户端会读网页和邮件，并转述其中的内容，所以它的话算外部文本：它写的笔记标为不可信，直到你接受；你自己写的保持原样；"
        "消息带标记，只到收件箱；交给 provider 的只能是证券、日期和小的数字。加 --trusted 之后，它像你一样写笔记，消息送到你那里，"
        "交给 provider 的内容不限：只适合除了你输入的内容之外什么都不读的客户端。需要你同意的事那时也仍然是提案。"
    ),
    "Take what the client says for your own words; see below.": "把客户端的话当作你自己的话，见下文。",
    "{tool} knows only the present, and the time is set to {now}": "{tool} 只知道现在，而时间设成了 {now}",
    "without --now it can be asked; see `env` in ia-provider(5)": "不带 --now 时可以问它；见 ia-provider(5) 的 `env`",
    "Serve only these (notebook.*); may be given again.": "只提供这些工具（如 notebook.*）；可重复给出。",
    "a client has to be at the other end of standard input": "标准输入的另一端必须是一个客户端",
    "name `ia mcp` in its settings": "请在客户端的设置里写 `ia mcp`",
}
