"""Chinese of the notebook, the memory, recall, proposals and the soul."""

CATALOG = {
    "the disk is full: newest changes may be missing from the index": "磁盘已满：索引里可能缺少最新的改动",
    "`ia note list` shows what is there": "`ia note list` 列出已有的内容",
    # note
    "Write, read and search notes.": "写、读、查笔记。",
    "Notes are Markdown files below notebook/ of the workspace. PATH is relative to it; `.md` may be left out. Every write"
    " keeps what was there before (`ia memory undo PATH` brings it back) and enters the note in memory/MEMORY.md.": (
        "笔记是工作区 notebook/ 下的 Markdown 文件。PATH 相对于它，`.md` 可以省略。每次写入都保留原来的内容"
        "（`ia memory undo PATH` 可取回），并把这条笔记记入 memory/MEMORY.md。"
    ),
    "Write a note, replacing what was there.": "写一条笔记，替换原来的内容。",
    "TEXT is the argument or standard input. Prints the path written. `ia note PATH TEXT` means the same.": (
        "TEXT 是参数或标准输入。输出写入的路径。`ia note PATH TEXT` 是同一个意思。"
    ),
    "Add to the end of a note.": "追加到笔记末尾。",
    "TEXT is the argument or standard input. The note is made if it is not there. Prints the path written.": (
        "TEXT 是参数或标准输入。没有这条笔记就新建。输出写入的路径。"
    ),
    "Print a note.": "输出一条笔记。",
    "List notes, by path. Status 1 where there are none.": "按路径列出笔记。一条也没有时状态为 1。",
    "Print the lines that contain all WORDS, by path. Status 1 where there are none.": (
        "按路径输出包含全部 WORDS 的行。一行也没有时状态为 1。"
    ),
    "`ia recall` ranks whole notes and looks into the memory as well.": "`ia recall` 按相关度排列整条笔记，也查记忆。",
    "Remove a note and print its path; `ia memory undo PATH` brings it back.": (
        "删除一条笔记并输出路径；`ia memory undo PATH` 可取回。"
    ),
    "{path}: no such note": "{path}：没有这条笔记",
    "`ia note list` shows them": "`ia note list` 列出全部笔记",
    "nothing to write: the text is empty": "没有可写的内容：文本为空",
    "nothing to search for": "没有要查的词",
    "{path} is written, but not yet in the index: {reason}": "{path} 已写入，但尚未进入索引：{reason}",
    "did you mean `ia note {verb}`? A note of this name is written with `ia note write {typed} TEXT`": (
        "是想用 `ia note {verb}` 吗？要写这个名字的笔记，用 `ia note write {typed} TEXT`"
    ),
    "notes are files below notebook/: edit or move them as you like; a note of this name is written"
    " with `ia note write {typed} TEXT`": (
        "笔记就是 notebook/ 下的文件，可随意编辑或移动；要写这个名字的笔记，用 `ia note write {typed} TEXT`"
    ),
    "no notes yet": "还没有笔记",
    "`ia note PATH TEXT` writes one": "`ia note PATH TEXT` 写一条",
    "no line of a note has these words": "没有哪行笔记包含这些词",
    "`ia recall` looks into the memory as well": "`ia recall` 也查记忆",
    # recall
    "nothing that was written answers this": "没有找到写过的相关内容",
    "fewer or other words find more": "少用几个词或换个词，可多找一些",
    "Search notes and memory; the best match comes first.": "在笔记和记忆里搜索，最相关的在前。",
    "A few words must all occur, Chinese words of one or two characters too; a question is ranked by its words. Newer notes weigh a little more; the best score is 1. Files changed by hand are found at once. Status 1 if nothing is found.": "几个词时要求全部原样出现，一两个字的中文词也行；一句问话则按其中的词排序。较新的笔记权重略高，最佳者得分为 1。手工改过的文件立即可见。什么也没找到时状态为 1。",
    "How many notes at most.": "最多几条。",
    "Only notes of this day or later.": "只要这一天及以后的。",
    "Where: memory, notebook, journal, knowledge; default all.": "范围：memory、notebook、journal、knowledge，默认全部。",
    "{area}: no such area": "{area}：没有这个范围",
    "one of {known}": "可选：{known}",
    "nothing to look for: the query has no letters or digits": "没有可查的内容：查询里没有文字或数字",
    "another process is building the index; what it has so far is searched": "另一个进程正在建索引；先查已建好的部分",
    "building the index; this takes a minute for 100,000 notes, once": "正在建索引；十万条笔记约需一分钟，只此一次",
    "{path!r}: the name is not UTF-8": "{path!r}：文件名不是 UTF-8",
    "the workspace may not be written: newest changes may be missing from the index": (
        "工作区不可写：最新的改动可能还不在索引里"
    ),
    # memory
    "no memories yet": "还没有记忆",
    "`ia memory track`, `ia memory observe` and `ia memory log` begin them": (
        "可从 `ia memory track`、`ia memory observe`、`ia memory log` 开始"
    ),
    "nothing has changed yet": "还没有任何改动",
    "`ia note` and `ia memory` write": "`ia note` 和 `ia memory` 可以写入",
    "{path} is of no category of the memory": "{path} 不属于记忆的任何类别",
    "categories: {known}": "类别：{known}",
    "A code or a name that means one security is written as its code and name, so that it stands there once. Several"
    " securities are all put there, with the same WHY; quote a WHY of several words.": (
        "代码或名称若只指一只证券，会写成代码加名称，同一只证券只出现一次。多只证券会全部加入，共用同一个理由；理由有空格时请加引号。"
    ),
    "{text} is a security and no reason": "{text} 是证券，不是理由",
    "list the securities first, then the reason in quotation marks": "请先写证券，最后写加引号的理由",
    "more than one reason: {words}": "理由不止一个：{words}",
    "put the reason in quotation marks": "请给理由加引号",
    "Keep what was learned: beliefs, observations, reflections.": "记住学到的：信念、观察、反思。",
    "Markdown files below memory/ of the workspace. Tracking, journal, observations and reflections are written freely; a"
    " belief changes with its reason, which is logged in reflections/; preferences and the soul only become a proposal"
    " (`ia pending`). TEXT is the argument or standard input everywhere.": (
        "工作区 memory/ 下的 Markdown 文件。关注、日志、观察、反思可自由写入；信念的改变要有理由，记入 reflections/；"
        "偏好和灵魂只会成为提案（`ia pending`）。TEXT 都可以是参数或标准输入。"
    ),
    "List the files of the memory, and bring MEMORY.md up to date. Status 1 where there are none.": (
        "列出记忆文件，并更新 MEMORY.md。一个也没有时状态为 1。"
    ),
    "Print a file of the memory; without PATH its table of contents, MEMORY.md.": (
        "输出一个记忆文件；不给 PATH 时输出总目录 MEMORY.md。"
    ),
    "PATH is relative to memory/; `.md` may be left out.": "PATH 相对于 memory/，`.md` 可以省略。",
    "Replace a file of the memory, by its rule.": "按规则替换一个记忆文件。",
    "Free for tracking, journal, observations and reflections. beliefs needs --because. For preferences and soul it makes"
    " a proposal and prints its number.": (
        "关注、日志、观察、反思可自由写入。beliefs 需要 --because。preferences 和 soul 则生成提案并输出编号。"
    ),
    "The reason; beliefs do not change without one.": "理由；没有理由，信念不变。",
    "Add a line with the time to today's journal.": "在今天的日志里加一行，带时间。",
    "Put securities, or a topic, on the watch list.": "把一只或多只证券，或一个主题，加入关注列表。",
    "Take it off the list.": "从列表中去掉。",
    "--remove takes no WHY": "--remove 不带 WHY",
    "Add or change a belief, with its reason.": "增加或改变一条信念，并说明理由。",
    "What was believed before, what now and why goes into reflections/.": "之前怎么认为、现在怎么认为、为什么，都记入 reflections/。",
    "The reason (needed).": "理由（必需）。",
    "Part of the belief whose place it takes.": "被取代的信念中的一段文字。",
    "Propose a preference. Prints the proposal's number; `ia approve` decides.": (
        "提出一条偏好。输出提案编号，由 `ia approve` 决定。"
    ),
    "The reason.": "理由。",
    "Add an observation of today on a topic.": "就某个主题记一条今天的观察。",
    "Add to the reflections of a period.": "追加某个时期的反思。",
    "W11, Q1, 03 or 2024-W11; default this month.": "W11、Q1、03 或 2024-W11，默认本月。",
    "List what changed, newest first: of one file, or of all. Status 1 where nothing did.": (
        "列出一个文件或全部文件的改动，最新的在前。没有改动时状态为 1。"
    ),
    "PATH is relative to memory/, or begins with memory/, notebook/ or is soul.md.": (
        "PATH 相对于 memory/，或以 memory/、notebook/ 开头，或是 soul.md。"
    ),
    "How many at most.": "最多几条。",
    "Put back what a file held before its last change, and print its path; again goes further back.": (
        "恢复文件上次改动之前的内容并输出路径；再来一次就退得更远。"
    ),
    "Without PATH it is the file that changed last. preferences and soul change by proposal only, back as well as forth.": (
        "不给 PATH 时是最后改动的文件。preferences 和 soul 只能通过提案改变，改回去也一样。"
    ),
    "{path}: no such memory": "{path}：没有这条记忆",
    "`ia memory list` shows them": "`ia memory list` 列出全部记忆",
    "`ia memory list` and `ia note list` show them": "`ia memory list` 和 `ia note list` 列出全部文件",
    "nothing to undo: nothing was written yet": "没有可撤销的：还没有写过任何内容",
    "{path} is kept by ia": "{path} 由 ia 维护",
    "edit the text around its block with an editor": "可用编辑器改它标记块之外的文字",
    "{path} needs no proposal": "{path} 不需要提案",
    "a belief needs its reason": "信念要有理由",
    "add --because WHY": "请加 --because 理由",
    "{path}: nothing changes": "{path}：没有变化",
    "{period!r}: a period is 03, W11, Q1 or 2024-W11": "{period!r}：时期写作 03、W11、Q1 或 2024-W11",
    "no belief says {part!r}": "没有信念包含 {part!r}",
    "`ia memory read beliefs` shows them": "`ia memory read beliefs` 可看全部信念",
    "{count} beliefs say {part!r}": "有 {count} 条信念包含 {part!r}",
    "give more of the one you mean": "请多写几个字以确定是哪一条",
    "{topic!r}: a topic needs letters or digits": "{topic!r}：主题要有文字或数字",
    "nothing to track": "没有要关注的内容",
    "{symbol} is not tracked": "没有关注 {symbol}",
    "`ia memory read tracking` shows what is": "`ia memory read tracking` 可看关注列表",
    "{text}: believed already": "{text}：已是信念",
    "{path} changes by proposal: `ia approve {number}` carries it out": (
        "{path} 通过提案改变：`ia approve {number}` 使其生效"
    ),
    # proposals
    "score": "相关度",
    "List the proposals that wait for a decision.": "列出待决的提案。",
    "Status 1 where there are none. With ID it prints what that proposal would change, as a unified diff.": (
        "一个也没有时状态为 1。给出 ID 时，以 unified diff 输出该提案的改动。"
    ),
    "Carry out a proposal.": "批准并执行一个提案。",
    "Shows what would change and asks at the terminal. Without a terminal it is refused, unless --yes is given.": (
        "显示将有的改动，并在终端询问。没有终端时拒绝，除非给出 --yes。"
    ),
    "Do not ask; typed by you, it is your consent.": "不再询问；由你键入，即表示你同意。",
    "Drop a proposal.": "否决一个提案。",
    "Carry out proposal {number}?": "执行提案 {number}？",
    "approval needs a terminal": "批准需要终端",
    "or give --yes yourself": "或由你自己加上 --yes",
    "proposal {number} was not approved": "提案 {number} 未获批准",
    "{path} changed while you were reading": "{path} 在你查看时有了改动",
    "look again: `ia pending {number}`": "请再看一遍：`ia pending {number}`",
    "{path}: the proposal changes nothing": "{path}：提案没有任何改动",
    "there is no proposal {number}": "没有提案 {number}",
    "`ia pending` lists them": "`ia pending` 列出待决的提案",
    "proposal {number} is decided already: {state}": "提案 {number} 已有决定：{state}",
    "proposal {number} is out of date: {path} has changed since": "提案 {number} 已过时：{path} 此后有了改动",
    "reject it with `ia reject {number}`, and propose it again": "用 `ia reject {number}` 否决，再重新提出",
    "no proposal waits for a decision": "没有待决的提案",
    "`ia memory prefer` and `ia soul propose` make one": "`ia memory prefer` 和 `ia soul propose` 可提出提案",
    "{text!r}: ID is the number of a proposal": "{text!r}：ID 是提案的编号",
    "proposal {number} is dropped; {path} stays as it is": "提案 {number} 已否决；{path} 保持原样",
    # soul
    "soul.md has not changed yet": "soul.md 还没有改动过",
    "`ia soul edit` changes it, `ia soul propose` proposes to": "`ia soul edit` 直接修改，`ia soul propose` 提出修改",
    "Show the assistant's character and propose changes to it.": "查看助手的灵魂，提出修改。",
    "soul.md says who the assistant is, its style, its limits and where it wants to grow. It changes only with your consent.": (
        "soul.md 写明助手是谁、风格、边界和成长方向。只有你同意，它才会改变。"
    ),
    "Print soul.md.": "输出 soul.md。",
    "Edit soul.md with $EDITOR. You are the one who consents, so it takes effect at once.": (
        "用 $EDITOR 编辑 soul.md。你就是同意的人，所以立即生效。"
    ),
    "Propose a new soul.md, whole. Prints the proposal's number; `ia approve` decides.": (
        "提出整份新的 soul.md。输出提案编号，由 `ia approve` 决定。"
    ),
    "List the changes of soul.md, newest first. Status 1 where there are none.": (
        "列出 soul.md 的改动，最新的在前。没有改动时状态为 1。"
    ),
    "there is no soul.md": "没有 soul.md",
    "`ia soul edit` writes one, `ia init` brings one": "`ia soul edit` 写一份，`ia init` 带来一份",
    "editing needs a terminal": "编辑需要终端",
    "`ia soul propose` takes a text from standard input": "`ia soul propose` 可从标准输入取文本",
    "the editor failed: {reason}": "编辑器失败：{reason}",
    "{path} is unchanged": "{path} 没有改动",
    "{path} changed while you were editing": "{path} 在你编辑时有了改动",
}
