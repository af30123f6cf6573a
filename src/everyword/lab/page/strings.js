// Every word of the interface, in the three languages that the switch offers. {name} is filled in.

export const LANGUAGES = [
  { tag: "en", name: "English" },
  { tag: "zh-Hant", name: "繁體中文" },
  { tag: "zh-Hans", name: "简体中文" },
];

// key: [English, Traditional Chinese, Simplified Chinese]
const TEXTS = {
  title: ["Context Window Lab", "AI 上下文視窗實驗室", "AI 上下文窗口实验室"],
  subtitle: [
    "What does a full window forget first?",
    "視窗塞滿以後，AI 最先忘掉什麼？",
    "窗口塞满以后，AI 最先忘掉什么？",
  ],
  language: ["Language", "介面語言", "界面语言"],
  conversation: [
    "{title} · {turns} turns · {tokens} tokens · {each} a turn",
    "《{title}》· {turns} 輪 · {tokens} tokens · 每輪 {each}",
    "《{title}》· {turns} 轮 · {tokens} tokens · 每轮 {each}",
  ],
  openFile: ["Open a conversation…", "開啟對話檔…", "打开对话文件…"],
  badFile: [
    '{name} is not a conversation: a JSON list of {"role", "content"} is needed.',
    '{name} 不是對話：需要 {"role", "content"} 的 JSON 清單。',
    '{name} 不是对话：需要 {"role", "content"} 的 JSON 列表。',
  ],

  // ---- controls ----
  controls: ["Settings", "設定", "设置"],
  strategy: ["Strategy", "策略", "策略"],
  truncate: ["Truncate oldest", "截斷最早", "截断最早"],
  summary: ["Window + summary", "滑動視窗 + 摘要", "滑动窗口 + 摘要"],
  full: ["Keep all", "全量保留", "全量保留"],
  everyword: ["Everyword", "Everyword", "Everyword"],
  truncateHint: [
    "Only the newest messages that fit are sent; what is older is gone for good.",
    "只送出最近、塞得進視窗的訊息，更早的直接丟掉。",
    "只发送最近、塞得进窗口的消息，更早的直接丢。",
  ],
  summaryHint: [
    "Recent words as they are, older ones as a summary. The lower the ratio, the shorter the summary, and the more easily it loses facts.",
    "最近的原文保留，更早的壓成摘要。壓縮比越低，摘要越短，越容易丟事實。",
    "最近的原文保留，更早的压成摘要。压缩比越低，摘要越短，越容易丢事实。",
  ],
  fullHint: [
    "Nothing is cut: everything is sent, or the request is refused.",
    "一條不裁，全部送出；塞不下就報錯。",
    "一条不裁，全部发送；塞不下就报错。",
  ],
  window: ["Window", "視窗", "窗口"],
  customWindow: ["Custom window in K (1–{most})", "自訂視窗，單位 K（1–{most}）", "自定义窗口，单位 K（1–{most}）"],
  turns: ["Turns", "輪數", "轮数"],
  ratio: ["Summary ratio", "壓縮比", "压缩比"],
  price: ["$ / M input", "美元 / 百萬輸入", "美元 / 百万输入"],
  cachedPrice: ["$ / M cached", "快取價", "缓存价"],
  cachedHint: [
    "Price of input that repeats the beginning of the request before. Empty: no discount. Truncation moves the beginning at every turn, so it gets none.",
    "與上一次請求開頭相同的輸入的價格。留空：沒有折扣。截斷每輪都改動開頭，所以吃不到折扣。",
    "与上一次请求开头相同的输入的价格。留空：没有折扣。截断每轮都改动开头，所以吃不到折扣。",
  ],
  same: ["same", "同價", "同价"],
  pinned: ["Pin the facts", "固定事實", "固定事实"],
  pinnedHint: [
    "Each fact, once it was said, is also kept in the system prompt; its tokens count.",
    "事實說出以後，也固定寫在系統提示裡；占用的 token 照算。",
    "事实说出以后，也固定写在系统提示里；占用的 token 照算。",
  ],
  reset: ["Reset", "重設", "重置"],

  // ---- error ----
  exceeded: [
    "context_length_exceeded: {tokens} tokens now, over the window of {window}",
    "context_length_exceeded:當前 {tokens} tokens 超過視窗 {window}",
    "context_length_exceeded:当前 {tokens} tokens 超过窗口 {window}",
  ],
  excess: [
    "{excess} tokens too many. The probes were not run: recall counts as 0. Shown below is the last result that could be sent: {strategy}, {window}, turn {turns}.",
    "超出 {excess} tokens。探針沒有執行，召回率記 0。下面保留上一次成功的結果：{strategy}，{window}，{turns} 輪。",
    "超出 {excess} tokens。探针未执行，召回率记 0。下面保留上一次成功的结果：{strategy}，{window}，{turns} 轮。",
  ],
  lastGood: ["last result that could be sent", "上一次成功的結果", "上一次成功的结果"],
  repairWindow: ["Widen the window to {window}", "把視窗提升到 {window}", "把窗口提升到 {window}"],
  repairSummary: ["Use a summary", "改用摘要策略", "改用摘要策略"],
  repairRatio: ["Lower the ratio to {ratio}", "把壓縮比降到 {ratio}", "把压缩比降到 {ratio}"],
  repairTruncate: ["Truncate instead", "改用截斷策略", "改用截断策略"],

  // ---- bars ----
  history: ["History", "歷史", "历史"],
  request: ["Request", "請求", "请求"],
  limitLabel: ["{window} limit", "{window} 上限", "{window} 上限"],
  startLabel: ["{window} window starts", "{window} 視窗起點", "{window} 窗口起点"],
  kept: ["in the window", "保留", "保留"],
  compressed: ["summarised", "已摘要", "已摘要"],
  dropped: ["dropped", "已丟棄", "已丢弃"],
  system: ["system", "系統提示", "系统提示"],
  pinnedPart: ["pinned facts", "固定的事實", "固定的事实"],
  summaryPart: ["summary", "摘要", "摘要"],
  verbatim: ["verbatim", "原文", "原文"],
  free: ["free", "空位", "空位"],
  historyText: [
    "{total} tokens said in {turns} turns: {kept} messages in the window, {compressed} summarised, {dropped} dropped.",
    "{turns} 輪共說了 {total} tokens：{kept} 條在視窗內，{compressed} 條已摘要，{dropped} 條已丟棄。",
    "{turns} 轮共说了 {total} tokens：{kept} 条在窗口内，{compressed} 条已摘要，{dropped} 条已丢弃。",
  ],

  // ---- timeline ----
  timeline: ["Conversation", "對話時間線", "对话时间线"],
  toBoundary: ["To the boundary", "跳到邊界", "跳到边界"],
  wholeText: ["Whole messages", "顯示全文", "显示全文"],
  turn: ["Turn {turn}", "第 {turn} 輪", "第 {turn} 轮"],
  boundary: ["{window} window starts here", "{window} 視窗從這裡開始", "{window} 窗口从这里开始"],
  earlier: ["{number} earlier messages", "更早的 {number} 條", "更早的 {number} 条"],
  later: ["{number} later messages", "之後的 {number} 條", "之后的 {number} 条"],
  rowKept: ["in the window", "視窗內", "窗口内"],
  rowCompressed: ["compressed", "已壓縮", "已压缩"],
  rowDropped: ["out of the window", "已移出視窗", "已移出窗口"],
  user: ["user", "使用者", "用户"],
  assistant: ["assistant", "助手", "助手"],
  tool: ["tool", "工具", "工具"],
  systemRole: ["system", "系統", "系统"],

  // ---- metrics ----
  metrics: ["Figures", "指標", "指标"],
  occupancy: ["Window in use", "當前視窗占用", "当前窗口占用"],
  single: ["Single input", "單次請求輸入", "单次请求输入"],
  cumulative: ["Cumulative input", "累計輸入", "累计输入"],
  recall: ["Recall of the facts", "事實召回率", "事实召回率"],
  recallOf: ["{kept} of {total} facts", "{kept}/{total} 條事實", "{kept}/{total} 条事实"],
  singleCost: ["Single cost", "單次成本", "单次成本"],
  cumulativeCost: ["Cumulative cost", "累計成本", "累计成本"],
  ofWindow: ["{used} of {window}", "{used} / {window}", "{used} / {window}"],
  capacity: ["holds {turns} turns", "整段約撐 {turns} 輪", "整段约撑 {turns} 轮"],
  cutNone: ["nothing was cut", "沒有裁掉任何訊息", "没有裁掉任何消息"],
  cutDropped: ["{number} dropped", "{number} 條已丟棄", "{number} 条已丢弃"],
  cutCompressed: ["{number} compressed", "{number} 條已壓縮", "{number} 条已压缩"],
  perTurns: ["over {turns} requests", "{turns} 次請求合計", "{turns} 次请求合计"],
  repeated: ["{cached} of it repeated", "其中 {cached} 重複", "其中 {cached} 重复"],
  atPrice: ["at ${price} a million", "每百萬 ${price}", "每百万 ${price}"],

  // ---- middle ----
  views: ["Views", "檢視", "视图"],
  curves: ["Curves", "曲線", "曲线"],
  tables: ["Tables", "表格", "表格"],
  usage: ["Real tokens", "真實 token", "真实 token"],
  summaries: ["Real summary", "真實摘要", "真实摘要"],
  facts: ["Facts", "事實", "事实"],
  recallCurve: ["Recall at each turn", "每輪的召回率", "每轮的召回率"],
  costCurve: ["Cost so far at each turn, US$", "每輪的累計成本（美元）", "每轮的累计成本（美元）"],
  curveHint: [
    "Turn {turn}, window {window}, ratio {ratio}. Click to go to a turn. Thin: not sendable.",
    "第 {turn} 輪，視窗 {window}，壓縮比 {ratio}。點曲線可跳到該輪。細線：請求塞不下。",
    "第 {turn} 轮，窗口 {window}，压缩比 {ratio}。点曲线可跳到该轮。细线：请求塞不下。",
  ],
  legendValue: ["{name}: {recall}, ${cost}", "{name}：{recall}，${cost}", "{name}：{recall}，${cost}"],
  blocked: ["not sendable", "塞不下", "塞不下"],
  recallTable: [
    "Recall of truncation by window and turns",
    "截斷策略：視窗 × 輪數的召回率",
    "截断策略：窗口 × 轮数的召回率",
  ],
  lossTable: ["What {window} of truncation loses, and when", "{window} 截斷的丟失順序", "{window} 截断的丢失顺序"],
  costTable: ["Four ways to spend on {turns} turns", "{turns} 輪的四種花法", "{turns} 轮的四种花法"],
  lostNow: ["lost since", "剛掉的事實", "刚掉的事实"],
  still: ["kept", "還在", "还在"],
  none: ["none", "無", "无"],
  capacityColumn: ["turns it lasts", "能撐輪數", "能撑轮数"],

  // ---- probe ----
  probe: ["Memory probe", "記憶探針", "记忆探针"],
  probeAt: ["asked after turn {turns}", "在第 {turns} 輪之後提問", "在第 {turns} 轮之后提问"],
  right: ["answered", "答對", "答对"],
  wrong: ["not answered", "答錯", "答错"],
  notSaid: ["not said yet", "還沒說到", "还没说到"],
  saidAt: ["said in turn {turn}", "原本在第 {turn} 輪", "原本在第 {turn} 轮"],
  inside: ["in the window", "在視窗內", "在窗口内"],
  outside: ["out of the window", "已移出視窗", "已移出窗口"],
  inSummary: ["in the summary", "在摘要裡", "在摘要里"],
  inPinned: ["pinned", "已固定", "已固定"],
  neverSent: ["The model never received it.", "模型根本沒有收到這句話。", "模型根本没有收到这句话。"],
  noFacts: [
    "No facts yet. Choose what to ask for under “Facts”.",
    "還沒有事實。請在「事實」分頁選擇要問什麼。",
    "还没有事实。请在“事实”分页选择要问什么。",
  ],

  // ---- self-test ----
  selfTest: ["Self-test", "自檢", "自检"],
  runAgain: ["Run again", "再跑一次", "再跑一次"],
  testCapacity: ["Window capacity", "視窗容量", "窗口容量"],
  testOrder: ["Oldest goes first", "截斷順序", "截断顺序"],
  testSummary: ["Summary keeps all", "摘要保留事實", "摘要保留事实"],
  testRecall: ["Recall", "召回率", "召回率"],
  testCumulative: ["Cumulative tokens", "累計 token", "累计 token"],
  testCost: ["Exact cost", "成本精度", "成本精度"],
  testError: ["Error path", "錯誤路徑觸發", "错误路径触发"],
  testProtection: ["Overflow guard", "超限保護", "超限保护"],
  testReset: ["Reset", "重設", "重置"],

  // ---- facts ----
  factsHint: [
    "What is asked after the last turn. A fact counts as kept when the request holds the message that says it.",
    "最後一輪之後要問的問題。說出事實的那條訊息還在請求裡，就算記得。",
    "最后一轮之后要问的问题。说出事实的那条消息还在请求里，就算记得。",
  ],
  factQuestion: ["Question", "問題", "问题"],
  factAnswer: ["Words of the answer, as they were said", "答案的原文字句", "答案的原文字句"],
  addFact: ["Add", "加入", "添加"],
  removeFact: ["Remove {label}", "移除 {label}", "移除 {label}"],
  restoreFacts: ["Restore the first ones", "恢復原來的事實", "恢复原来的事实"],
  factNowhere: ["No message has these words.", "沒有訊息含有這些字。", "没有消息含有这些字。"],
  factFound: ["Said in turn {turn}.", "第 {turn} 輪說過。", "第 {turn} 轮说过。"],

  // ---- what the program behind the page measures ----
  aloneHint: [
    "A page opened as a file cannot do this: it reaches no model and no memory. Serve it with everyword lab serve --open, or measure on the command line:",
    "雙擊打開的頁面做不到這件事：它連不到模型，也連不到記憶。請用 everyword lab serve --open 開啟，或在命令列執行：",
    "双击打开的页面做不到这件事：它连不到模型，也连不到记忆。请用 everyword lab serve --open 打开，或在命令行运行：",
  ],
  noModel: [
    "No language model is set. Name one and its key, then serve the page again:",
    "還沒有設定語言模型。設定模型和金鑰以後，重新啟動頁面：",
    "还没有设定语言模型。设定模型和密钥以后，重新启动页面：",
  ],
  measure: ["Measure", "開始測量", "开始测量"],
  running: ["Measuring", "測量中", "测量中"],
  brokenOff: [
    "The answer broke off: see what the program said where it was started.",
    "回應中斷了：請看啟動程式的地方顯示了什麼。",
    "响应中断了：请看启动程序的地方显示了什么。",
  ],
  usageHint: [
    "Send the same conversation to a real endpoint and put the input tokens that it reports beside the estimate.",
    "把同一段對話發給真實的 API，把它回報的輸入 token 和估算並排。",
    "把同一段对话发给真实的 API，把它报告的输入 token 和估算并排。",
  ],
  everyTurns: ["Every … turns", "每隔幾輪", "每隔几轮"],
  usageCost: [
    "This sends about {number} requests with an estimated {tokens} tokens to {model}.",
    "將向 {model} 發出約 {number} 次請求，估算共 {tokens} tokens。",
    "将向 {model} 发出约 {number} 次请求，估算共 {tokens} tokens。",
  ],
  usageFit: [
    "{model} counts {ratio} tokens for one estimated, and {overhead} more for each request.",
    "{model}：每 1 個估算 token 實際為 {ratio}，每次請求另加 {overhead}。",
    "{model}：每 1 个估算 token 实际为 {ratio}，每次请求另加 {overhead}。",
  ],
  usageRecall: [
    "Asked after the last turn, it answered {answered} of {asked} probes ({share}).",
    "最後一輪之後提問，答對 {answered}/{asked}（{share}）。",
    "最后一轮之后提问，答对 {answered}/{asked}（{share}）。",
  ],
  estimated: ["estimated", "估算", "估算"],
  reported: ["reported", "實際回報", "实际报告"],
  realRatio: ["ratio", "比值", "比值"],
  summariesHint: [
    "A real summary takes the place of the ideal one, and each is searched for the facts: recall is measured, not assumed.",
    "用真實摘要代替理想摘要，每次壓縮後都檢查事實還在不在：召回率是量出來的，不是假設的。",
    "用真实摘要代替理想摘要，每次压缩后都检查事实还在不在：召回率是量出来的，不是假设的。",
  ],
  summariser: ["Summariser", "摘要方法", "摘要方法"],
  summariser_extractive: ["sentences chosen without a model", "不用模型，挑選原句", "不用模型，挑选原句"],
  summariser_model: ["the language model", "語言模型", "语言模型"],
  compactTo: ["Compact to % of the window", "壓到視窗的 %", "压到窗口的 %"],
  summaryVerdict: [
    "Measured recall {recall} ({kept} of {total}); single input {input}, cumulative {cumulative}, ${cost}; {summaries} summaries, whose making read and wrote {extra} tokens more.",
    "實測召回率 {recall}（{kept}/{total}）；單次輸入 {input}，累計 {cumulative}，${cost}；共做 {summaries} 次摘要，另讀寫 {extra} tokens。",
    "实测召回率 {recall}（{kept}/{total}）；单次输入 {input}，累计 {cumulative}，${cost}；共做 {summaries} 次摘要，另读写 {extra} tokens。",
  ],
  eachSummary: ["After each summary", "每次摘要之後", "每次摘要之后"],
  compressedColumn: ["messages in it", "含訊息數", "含消息数"],
  summaryTokens: ["its tokens", "摘要 token", "摘要 token"],
  lastSummary: ["The last summary", "最後一份摘要", "最后一份摘要"],
  everywordHint: [
    "What Everyword sends instead: it keeps every word outside the request, and puts the few that answer into a small budget.",
    "Everyword 的做法：原文全部留在請求之外，只把能回答問題的幾句放進很小的預算。",
    "Everyword 的做法：原文全部留在请求之外，只把能回答问题的几句放进很小的预算。",
  ],
  budget: ["Budget, tokens", "預算 token", "预算 token"],
  everywordVerdict: [
    "Measured recall {recall} ({kept} of {total}) after {turns} turns; single input {input}, cumulative {cumulative}, ${cost}. Its curve is beside the others now.",
    "{turns} 輪後實測召回率 {recall}（{kept}/{total}）；單次輸入 {input}，累計 {cumulative}，${cost}。曲線已加到圖上。",
    "{turns} 轮后实测召回率 {recall}（{kept}/{total}）；单次输入 {input}，累计 {cumulative}，${cost}。曲线已加到图上。",
  ],
  everywordProbes: ["Probes", "探針", "探针"],
  answerColumn: ["its words are in the context", "原文在上下文裡", "原文在上下文里"],
  tokensColumn: ["tokens", "tokens", "tokens"],

  // ---- notes ----
  estimate: [
    "Tokens are estimated: a Chinese character 1, an English word 1, digits 1 for every 3, punctuation 0.25, spaces 0. This is not any vendor's tokenizer.",
    "token 為估算：漢字 1 字 1，英文單字 1，數字每 3 位 1，標點 0.25，空格不計。不是任何廠商的官方分詞器。",
    "token 为估算：汉字 1 字 1，英文单词 1，数字每 3 位 1，标点 0.25，空格不计。不是任何厂商的官方分词器。",
  ],
  limits: ["Limits", "邊界", "边界"],
  limitsText: [
    "Not a real bill: tokenizers, cache prices and tier discounts differ by vendor. The summary is an ideal one, so its 100 % is an upper bound, not a promise: a real summary leaves out, rewrites and miscopies. Latency and the quality of answers are not modelled. The page only answers one question: with this window and strategy, which part of the history is in the request?",
    "這不是真實帳單：各家的分詞、快取計價、階梯折扣都不一樣。摘要按「理想摘要」計算，它的 100% 是上限，不是保證：真實摘要會漏、會改寫、會抄錯。沒有模擬延遲和回答品質。這個頁面只回答一個問題：在這個視窗和策略下，哪些歷史還在請求裡？",
    "这不是真实账单：各家的分词、缓存计价、阶梯折扣都不一样。摘要按“理想摘要”计算，它的 100% 是上限，不是保证：真实摘要会漏、会改写、会抄错。没有模拟延迟和回答质量。这个页面只回答一个问题：在这个窗口和策略下，哪些历史还在请求里？",
  ],
  announce: [
    "{strategy}, window {window}, turn {turns}: recall {recall}, {input} tokens, ${cost} so far.",
    "{strategy}，視窗 {window}，{turns} 輪：召回率 {recall}，單次 {input} tokens，累計 ${cost}。",
    "{strategy}，窗口 {window}，{turns} 轮：召回率 {recall}，单次 {input} tokens，累计 ${cost}。",
  ],
};

// What turns a key into words of one language.
export function wordsOf(tag) {
  const column = Math.max(
    0,
    LANGUAGES.findIndex((each) => each.tag === tag),
  );
  return (key, values = {}) => TEXTS[key][column].replace(/\{(\w+)\}/g, (hole, name) => values[name] ?? hole);
}

// The language chosen before, else the variant of Chinese that the browser prefers.
export function firstLanguage(chosen, preferred) {
  if (LANGUAGES.some((each) => each.tag === chosen)) return chosen;
  return preferred.some((tag) => /^zh-(hant|tw|hk|mo)/i.test(tag)) ? "zh-Hant" : "zh-Hans";
}

export function allTexts() {
  return TEXTS;
}
