// Every word of the interface in both languages. {name} is filled in.

export const LANGUAGES = [
  { tag: "en", name: "English", short: "EN" },
  { tag: "zh-Hant", name: "繁體中文", short: "繁中" },
];

// key: [English, Traditional Chinese]
const TEXTS = {
  // ---- frame ----
  skip: ["Skip to the content", "跳到主要內容"],
  views: ["Views", "檢視"],
  language: ["Language", "語言"],
  conversations: ["Conversations", "對話"],
  explain: ["Explain", "解釋"],
  claims: ["Claims", "陳述"],
  graph: ["Graph", "關係圖"],
  care: ["Care", "維護"],
  lab: ["Window lab", "視窗實驗室"],
  memoryOf: ["Memory of {user}", "{user} 的記憶"],
  changeUser: ["Change user", "更換使用者"],
  logOut: ["Log out", "登出"],
  loading: ["Loading…", "載入中…"],
  more: ["Show more", "顯示更多"],
  earlier: ["Earlier messages", "更早的訊息"],
  close: ["Close", "關閉"],
  cancel: ["Cancel", "取消"],
  save: ["Save", "儲存"],
  undated: ["undated", "日期不明"],
  retry: ["Try again", "再試一次"],

  // ---- logging in ----
  welcome: ["See what is remembered", "看看記住了什麼"],
  keyLead: [
    "This server asks for a key. It stays in this tab until you close it or log out.",
    "這個伺服器需要金鑰。金鑰只留在這個分頁，關閉或登出後就消失。",
  ],
  key: ["Key", "金鑰"],
  keyHint: ["Made with “everyword keys add”; it begins with ew_.", "用「everyword keys add」產生，以 ew_ 開頭。"],
  logIn: ["Log in", "登入"],
  userLead: ["Whose memory would you like to see?", "想看誰的記憶？"],
  userName: ["User", "使用者"],
  otherUser: ["Another user", "其他使用者"],
  open: ["Open", "開啟"],
  noUsers: [
    "Nobody has said anything here yet. Name yourself, then add your first conversation.",
    "這裡還沒有任何對話。先取個名字，再加入第一段對話。",
  ],

  // ---- conversations ----
  search: ["Search every word", "搜尋每一句話"],
  searchHint: ["Search as you type. Press / to come here.", "邊打邊找。按 / 可跳到這裡。"],
  found: ["{count} messages, the best first", "{count} 則訊息，最相關的在前"],
  nothingFound: ["Nothing like that was said.", "沒有說過類似的話。"],
  nothingFoundHint: ["Try other words, or fewer.", "換個說法，或少打幾個字試試。"],
  sessionMessages: ["{count} messages", "{count} 則訊息"],
  untitled: ["(no words)", "（沒有文字）"],
  chooseOne: ["Choose a conversation, or search for words.", "選一段對話，或搜尋字詞。"],
  emptyTitle: ["Nothing is remembered yet", "還沒有任何記憶"],
  emptyLead: [
    "Bring the conversations that you have. Every word is kept in a file of this server, and goes nowhere that you did not name.",
    "把現有的對話帶進來吧。每個字都存在這個伺服器的檔案裡，不會傳到你沒有指定的地方。",
  ],
  emptyImport: ["Import an export of ChatGPT, Claude and others", "匯入 ChatGPT、Claude 等的匯出檔"],
  emptyAdd: ["Or keep one sentence", "或先記一句話"],
  emptyProxy: [
    "Or let your chat program talk through {url}/v1: it then remembers by itself.",
    "或讓聊天程式連到 {url}/v1，之後會自動記住。",
  ],
  backToList: ["All conversations", "所有對話"],
  forgetSession: ["Forget conversation", "忘記這段對話"],
  forgetMessage: ["Forget message {seq}", "忘記第 {seq} 則訊息"],
  wholeText: ["Show all {count} characters", "顯示全部 {count} 個字元"],
  lessText: ["Show less", "收起"],
  role_user: ["user", "使用者"],
  role_assistant: ["assistant", "助理"],
  role_tool: ["tool", "工具"],
  role_system: ["system", "系統"],
  role_developer: ["developer", "開發者"],
  origin_web: ["from the web", "來自網頁"],
  origin_import: ["imported", "匯入"],
  origin_tool: ["from a tool", "來自工具"],
  branch_other: ["branch that was left", "放棄的分支"],
  branch_side: ["side chain", "旁支"],
  sessionGone: ["This conversation is not in the memory any more.", "這段對話已不在記憶裡。"],
  thisOne: ["the message that you looked for", "你要找的訊息"],
  between: ["{first} – {last}", "{first} – {last}"],

  // ---- explain ----
  explainTitle: ["Why does the model see what it sees?", "模型為什麼會看到這些？"],
  explainLead: [
    "Ask as you would ask your assistant. Below stands what it would be given, and how each message got there.",
    "像問助理一樣發問。下面會列出它將看到的內容，以及每則訊息入選的經過。",
  ],
  question: ["Question", "問題"],
  questionExample: ["Who has my spare key?", "我的備用鑰匙在誰那裡？"],
  strategy: ["Strategy", "策略"],
  budget: ["Budget, tokens", "預算（token）"],
  explainDo: ["Explain", "解釋"],
  working: ["Looking through every word…", "正在翻找每一句話…"],
  noEvidence: [
    "Nothing in the history stands out for this question. An assistant should say that it does not know.",
    "歷史裡沒有明顯符合這個問題的內容。助理應該回答不知道。",
  ],
  packedSummary: [
    "{evidence} messages in {tokens} of {budget} tokens; {dropped} candidates stayed outside.",
    "{evidence} 則訊息，用了 {budget} 個 token 中的 {tokens} 個；{dropped} 個候選沒有放進來。",
  ],
  ledger: ["Where the tokens go", "token 的去向"],
  source_evidence: ["evidence", "證據"],
  source_recent: ["recent turns", "最近幾輪"],
  source_question: ["question", "問題"],
  source_profile: ["profile", "個人檔案"],
  source_pinned: ["pinned", "固定內容"],
  source_summary: ["summary", "摘要"],
  source_notes: ["notes", "筆記"],
  source_system: ["system text", "系統文字"],
  source_tools: ["tools", "工具"],
  source_constraints: ["constraints", "限制"],
  "source_constraints again": ["constraints, again", "限制（重申）"],
  source_free: ["free", "未用"],
  tokens: ["{count} tokens", "{count} 個 token"],
  estimated: ["counted by {counter}", "計數方式：{counter}"],
  evidenceTitle: ["Evidence, as the model sees it", "證據（依模型看到的順序）"],
  stepsHint: ["Under each message: stage, rank in it, score in it.", "每則訊息下方：階段、名次、分數。"],
  inOrder: ["In its order", "原順序"],
  byRank: ["By rank", "依排名"],
  order: ["Order", "排序"],
  rank: ["rank {rank}", "第 {rank} 名"],
  partOf: ["part of a long message", "長訊息的一部分"],
  recentTitle: ["Recent turns, shown as they are", "最近幾輪（原樣附上）"],
  droppedTitle: ["Left out, and why", "沒放進去的，以及原因"],
  droppedMore: ["The best {shown} of {total}.", "共 {total} 個，列出最前面的 {shown} 個。"],
  reason_budget: ["did not fit in what was left", "剩下的預算放不下"],
  reason_rank: ["the budget was full before its turn", "還沒輪到它，預算就滿了"],
  stagesTitle: ["Stages of the search", "搜尋的各階段"],
  stage: ["Stage", "階段"],
  candidates: ["Candidates", "候選"],
  milliseconds: ["Time", "時間"],
  ms: ["{count} ms", "{count} 毫秒"],
  stage_lexical: ["words", "字詞"],
  stage_passage: ["passages", "段落"],
  stage_clause: ["clauses", "子句"],
  stage_fused: ["together", "合併"],
  stage_tokens: ["token by token", "逐詞比對"],
  stage_reranked: ["reranked", "重排"],
  stage_density: ["turn, by length", "依篇幅的順序"],
  stage_claims: ["claims", "陳述"],
  stage_newest: ["newest", "最新"],
  placeOf: ["{stage}: rank {rank}, score {score}", "{stage}：第 {rank} 名，分數 {score}"],
  wholePrompt: ["The text, word for word", "完整文字，一字不差"],
  notes: ["Notes", "備註"],
  pendingNote: [
    "{count} passages have no vectors yet and are found by their words only.",
    "還有 {count} 個段落沒有向量，目前只能靠字詞找到。",
  ],
  nothingPacked: ["No message was chosen.", "沒有選入任何訊息。"],
  openInConversation: ["Open in its conversation", "在對話中開啟"],

  // ---- claims ----
  claimsTitle: ["What you have stated", "你說過的事"],
  claimsLead: [
    "Each claim quotes you and leads to the message that says it. Nobody else’s words become one.",
    "每條陳述都是你的原話，並連到說出它的訊息。別人的話不會變成陳述。",
  ],
  remember: ["Remember", "記住"],
  rememberText: ["What should be kept?", "要記住什麼？"],
  rememberExample: ["I live in Tainan.", "我住在台南。"],
  kind: ["Kind", "類別"],
  kind_all: ["All", "全部"],
  kind_profile: ["profile", "個人檔案"],
  kind_procedure: ["rule", "規則"],
  kind_entity: ["fact", "事實"],
  kind_edge: ["relation", "關係"],
  kind_note: ["note", "筆記"],
  state_plan: ["plan", "計畫"],
  state_guess: ["guess", "猜測"],
  state_joke: ["joke", "玩笑"],
  asOf: ["As it stood on", "以這一天為準"],
  showClosed: ["Also what no longer holds", "也顯示已失效的"],
  claimsCount: ["{count} claims", "{count} 條陳述"],
  noClaims: ["No claims here.", "這裡沒有陳述。"],
  noClaimsHint: [
    "Say something lasting about yourself, for example with “Remember” above. Rules read English and Chinese; a language model reads more.",
    "說一件關於自己、長久有效的事，例如用上面的「記住」。內建規則讀得懂英文和中文；語言模型讀得懂更多。",
  ],
  since: ["since {date}", "自 {date}"],
  until: ["until {date}", "到 {date} 為止"],
  ended: ["no longer holds", "已失效"],
  corrected: ["corrected", "已更正"],
  observed: ["observed, not stated", "觀察而得，並非本人所說"],
  caution: ["may contradict: “{text}”", "可能矛盾：「{text}」"],
  endedBy: ["ended by: “{text}”", "被取代：「{text}」"],
  sources: ["Sources", "來源"],
  correct: ["Correct", "更正"],
  correctText: ["What is right?", "正確的是什麼？"],
  forget: ["Forget", "忘記"],
  remembered: ["Remembered.", "記住了。"],
  correctedDone: [
    "Corrected. The old claim is closed, and no summary repeats it.",
    "已更正。舊的陳述已結束，摘要不會再提。",
  ],
  profileUse: ["Profile and rules: {used} of {capacity} characters", "個人檔案和規則：{used} / {capacity} 個字元"],

  // ---- forget ----
  forgetTitle: ["Forget for good?", "要永久忘記嗎？"],
  forgetOf_message: ["This message", "這則訊息"],
  forgetOf_claim: ["This claim, with every message that says it", "這條陳述，以及所有說到它的訊息"],
  forgetOf_session: ["This conversation", "這段對話"],
  forgetOf_range: ["What was said in this time", "這段時間說過的話"],
  forgetOf_everything: ["Everything that is remembered of {user}", "{user} 的所有記憶"],
  willGo: ["This will go:", "以下內容會消失："],
  goMessages: ["messages", "則訊息"],
  goSessions: ["conversations touched", "段對話受影響"],
  goClaims: ["claims", "條陳述"],
  goesFrom: ["From: {names}", "來自：{names}"],
  andMore: ["and {count} more", "以及另外 {count} 段"],
  noUndo: [
    "There is no undo. Words, index and vectors leave the files. Export first if in doubt. Backups that you made keep them.",
    "無法復原。文字、索引、向量都會從檔案中移除。不確定的話請先匯出。你自己做的備份不受影響。",
  ],
  sure: ["I am sure: erase everything", "我確定：全部清除"],
  forgetDo: ["Forget", "忘記"],
  forgetting: ["Forgetting…", "清除中…"],
  forgotten: ["Forgotten: {count} messages.", "已忘記 {count} 則訊息。"],

  // ---- graph ----
  graphTitle: ["People, things and how they relate", "人、事物與彼此的關係"],
  graphLead: [
    "Drawn from claims. Choose a name to see what was said about it.",
    "由陳述畫成。選一個名字，看看說過它什麼。",
  ],
  graphPicture: [
    "Picture of {nodes} names and {edges} relations; the list beside it says the same.",
    "{nodes} 個名字、{edges} 條關係的圖；旁邊的清單內容相同。",
  ],
  you: ["you", "你"],
  graphNames: ["Names", "名字"],
  graphEmpty: ["No names are known yet.", "還沒有任何名字。"],
  graphEmptyHint: [
    "Names and relations come from claims, such as “My sister Ada lives in Porto.” A language model finds more of them than the rules do (setting llm).",
    "名字和關係來自陳述，例如「我妹妹小雅住在波多」。語言模型找得比規則多（設定 llm）。",
  ],
  graphMany: [
    "The picture shows the {shown} names with the most relations; the list has all {total}.",
    "圖上是關係最多的 {shown} 個名字；清單列出全部 {total} 個。",
  ],
  filterNames: ["Filter names", "篩選名字"],
  relations: ["{count} relations", "{count} 條關係"],
  saidOf: ["What was said", "說過的話"],
  noRelations: ["No relations.", "沒有關係。"],
  allNames: ["All names", "所有名字"],

  // ---- care ----
  careTitle: ["How the memory is", "記憶的狀況"],
  messages: ["messages", "則訊息"],
  sessions: ["conversations", "段對話"],
  onDisk: ["on disk", "磁碟用量"],
  span: ["from first to last", "最早到最近"],
  noneYet: ["none yet", "還沒有"],
  byRole: ["By role", "依角色"],
  jobs: ["Work in the background", "背景工作"],
  job_vectors: ["Vectors", "向量"],
  job_claims: ["Reading for claims", "讀取陳述"],
  job_summaries: ["Writing summaries", "撰寫摘要"],
  jobDone: ["done", "完成"],
  jobWaiting: ["{count} waiting", "{count} 個等待中"],
  jobFailed: ["{count} given up", "{count} 個已放棄"],
  jobFailure: ["stands still: {reason}", "停住了：{reason}"],
  jobVectorsOf: ["{vectors} vectors of {passages} passages", "{passages} 個段落，{vectors} 個向量"],
  health: ["Health", "健康狀況"],
  healthLooking: ["Looking, with your last questions…", "用你最近的問題檢視中…"],
  healthWell: ["Nothing is wrong.", "沒有發現問題。"],
  healthOthers: ["{count} other figures", "其他 {count} 項數字"],
  healthAsked: [
    "Evidence was looked at for the last {count} questions, asked again.",
    "證據的數字來自最近 {count} 個問題的重新提問。",
  ],
  healthDays: ["{count} days", "{count} 天"],
  healthAgo: ["{days} ago", "{days}前"],
  healthNever: ["never", "從未"],
  healthMessages: ["{count} messages", "{count} 則訊息"],
  healthLag: ["{share} of the passages", "段落的 {share}"],
  health_prompt_by_source: ["Prompt by source", "提示的來源"],
  healthAbout_prompt_by_source: ["What the tokens of a prompt come from.", "提示裡的 token 從哪裡來。"],
  healthHelp_prompt_by_source: [
    "Over half is system text and tool definitions: shorten them, or send only the tools that a request needs.",
    "超過一半是系統文字和工具定義：請縮短，或只送該次請求需要的工具。",
  ],
  health_tokens_P99: ["Longest prompts", "最長的提示"],
  healthAbout_tokens_P99: ["99 of 100 prompts take at most so many tokens.", "100 個提示中有 99 個不超過這個數。"],
  healthHelp_tokens_P99: [
    "Turns leave the window often: name a larger window, or give memory less of it.",
    "對話輪次常常被擠出視窗：請指定較大的視窗，或減少記憶所佔的部分。",
  ],
  health_prefix_kept: ["Beginning kept", "開頭保持不變"],
  healthAbout_prefix_kept: [
    "Of what stands before the evidence, how much is the same in the next prompt: a provider caches it.",
    "證據之前的內容有多少與下一個提示相同：供應商會快取這一段。",
  ],
  healthHelp_prefix_kept: [
    "Keep what changes (time, counters, names of the day) out of the system text and the tool definitions.",
    "會變動的內容（時間、計數、星期）不要放進系統文字和工具定義。",
  ],
  health_input_share: ["Share of input", "輸入佔比"],
  healthAbout_input_share: [
    "Of the tokens of prompts and answers, how many are prompt.",
    "提示與回答的 token 之中，提示佔多少。",
  ],
  healthHelp_input_share: [
    "Answers are short beside what is sent: give memory less room, or shorten the system text and tool definitions.",
    "送出的內容遠多於回答：請減少記憶的空間，或縮短系統文字和工具定義。",
  ],
  health_duplicates: ["Duplicates", "重複"],
  healthAbout_duplicates: [
    "Evidence that says again what better ranked evidence says.",
    "與名次更前的證據說同一件事的證據。",
  ],
  healthHelp_duplicates: [
    "The same was stored more than once: search for copies, and forget them.",
    "同樣的內容存了不只一次：請搜尋重複的訊息並忘記它們。",
  ],
  health_age_of_evidence: ["Age of evidence", "證據的年齡"],
  healthAbout_age_of_evidence: [
    "How long ago the messages were said that answer the last questions, in the middle.",
    "回答最近問題的訊息是多久以前說的（中位數）。",
  ],
  health_age_of_claims: ["Age of claims", "陳述的年齡"],
  healthAbout_age_of_claims: [
    "How long ago you said what is still taken to hold, in the middle.",
    "目前仍視為有效的內容是多久以前說的（中位數）。",
  ],
  healthHelp_age_of_claims: [
    "Half of it is over a year old: look through “Claims”, and correct what holds no more.",
    "一半已超過一年：請看看「陳述」，更正不再成立的內容。",
  ],
  health_index_lag: ["Without a vector", "還沒有向量"],
  healthAbout_index_lag: ["Found by their words alone until then.", "在那之前只能靠字詞找到。"],
  healthHelp_index_lag: [
    "It is worked on in the background; where it stands still, “everyword index” says why.",
    "背景正在處理；若一直不動，「everyword index」會說明原因。",
  ],
  health_claims_waiting: ["Unread for claims", "尚未讀取陳述"],
  healthAbout_claims_waiting: [
    "Messages that are not read for profile, facts and notes yet.",
    "還沒有讀取個人檔案、事實與筆記的訊息。",
  ],
  healthHelp_claims_waiting: [
    "They are read in the background; “everyword claims --derive” reads them now.",
    "背景會讀取；「everyword claims --derive」會立即讀取。",
  ],
  health_claims_failed: ["Given up for claims", "放棄讀取的訊息"],
  healthAbout_claims_failed: ["Messages that could not be read for claims.", "無法讀取陳述的訊息。"],
  healthHelp_claims_failed: [
    "Look at the language model’s settings, then run “everyword rebuild”.",
    "請檢查語言模型的設定，再執行「everyword rebuild」。",
  ],
  health_last_verify: ["Last check", "上次檢查"],
  healthAbout_last_verify: [
    "When the file, every message and every derived row were last checked.",
    "上次核對檔案、每則訊息和每筆衍生資料的時間。",
  ],
  healthHelp_last_verify: [
    "Check it below. “everyword rebuild” makes anew what is wrong.",
    "請用下面的檢查。「everyword rebuild」會重建有問題的部分。",
  ],
  server: ["Server", "伺服器"],
  ready: ["ready", "就緒"],
  notReady: ["not ready: is the disk full or read-only?", "未就緒：磁碟是否已滿或唯讀？"],
  verifyTitle: ["Check", "檢查"],
  verifyLead: [
    "Every stored byte against its digest, every derived row against the words.",
    "逐一核對每個位元組的摘要，以及每一筆衍生資料。",
  ],
  verify: ["Verify now", "立即檢查"],
  verifying: ["Checking every byte…", "正在核對每個位元組…"],
  verified: [
    "All is well: {messages} messages, {passages} passages, {vectors} vectors agree.",
    "一切正常：{messages} 則訊息、{passages} 個段落、{vectors} 個向量都一致。",
  ],
  verifyFailed: [
    "{count} problems. “everyword rebuild” makes everything derived anew from the words.",
    "發現 {count} 個問題。「everyword rebuild」會從原文重建所有衍生資料。",
  ],
  exportTitle: ["Take it with you", "帶走資料"],
  exportLead: [
    "Every message as JSON lines; “everyword import” reads them back identical.",
    "每則訊息一行 JSON；「everyword import」能原樣讀回。",
  ],
  exportDo: ["Export", "匯出"],
  exporting: ["Writing…", "匯出中…"],
  exported: ["The export is with your browser’s downloads.", "已存到瀏覽器的下載項目。"],
  eraseTitle: ["Forget", "忘記"],
  eraseLead: [
    "What is forgotten leaves every file. You will see first what would go.",
    "忘記的內容會從所有檔案移除。動手之前會先列出範圍。",
  ],
  after: ["From", "從"],
  before: ["To, inclusive", "到（含當日）"],
  forgetRange: ["Forget this time…", "忘記這段時間…"],
  forgetAll: ["Forget everything…", "忘記全部…"],
  rangeMissing: ["Name a first or a last day.", "請填起始日或結束日。"],

  // ---- problems ----
  problem: ["That did not work", "沒有成功"],
  do_Unreachable: [
    "The server cannot be reached. Is “everyword serve” still running? Then try again.",
    "連不到伺服器。「everyword serve」還在執行嗎？確認後再試一次。",
  ],
  do_UnknownKeyError: [
    "The key is missing, unknown or revoked. Log in with another one.",
    "金鑰不存在、不明或已撤銷。請用別的金鑰登入。",
  ],
  do_ForbiddenError: [
    "This key may not do that. Ask whoever runs the server for another one.",
    "這把金鑰沒有這個權限。請向伺服器管理者索取。",
  ],
  do_TooManyRequestsError: [
    "Too many requests with this key. Wait {wait} seconds, then try again.",
    "這把金鑰的請求太頻繁。請等 {wait} 秒再試。",
  ],
  do_ContextLengthExceeded: [
    "Raise the budget to at least {needed} tokens, or choose another strategy.",
    "請把預算提高到至少 {needed} 個 token，或改用其他策略。",
  ],
  do_NotFoundError: [
    "It is not in this memory (any more). Load the list again.",
    "它不在（或已不在）這份記憶裡。請重新載入清單。",
  ],
  do_RequestTooLargeError: ["The text is too long for one request. Shorten it.", "文字太長，一次送不完。請縮短。"],
  do_DiskFullError: [
    "Free some space on the server’s disk, then try again. What was stored is safe.",
    "請在伺服器的磁碟騰出空間再試。已儲存的內容是安全的。",
  ],
  do_StorageError: [
    "The memory’s file is busy or cannot be written. Try again in a moment; the server’s log has more.",
    "記憶檔忙碌或無法寫入。請稍後再試；伺服器日誌有更多資訊。",
  ],
  do_ModelError: [
    "A model is missing or failed. Search by words still works; see “Care”.",
    "模型不存在或出錯。字詞搜尋仍可使用；請看「維護」。",
  ],
  do_InvalidInputError: [
    "Something in the request is wrong. Change it and try again.",
    "請求的內容有誤。請修改後再試。",
  ],
  do_EverywordError: [
    "Try again. If it stays, look for the request id in the server’s log.",
    "請再試一次。若仍失敗，請在伺服器日誌中查詢請求編號。",
  ],
  requestId: ["request id {id}", "請求編號 {id}"],
};

// What turns a key into words of one language; a key that is not there is shown as it is.
export function wordsOf(tag) {
  const column = Math.max(
    0,
    LANGUAGES.findIndex((each) => each.tag === tag),
  );
  const words = (key, values = {}) =>
    (TEXTS[key]?.[column] ?? key).replace(/\{(\w+)\}/g, (hole, name) => values[name] ?? hole);
  words.named = (prefix, name) => (TEXTS[`${prefix}_${name}`] ? words(`${prefix}_${name}`) : name);
  words.has = (key) => key in TEXTS;
  return words;
}

// The language chosen before, else the first one of the browser that is offered.
export function firstLanguage(chosen, preferred) {
  if (LANGUAGES.some((each) => each.tag === chosen)) return chosen;
  for (const tag of preferred) {
    if (/^zh\b/i.test(tag)) return "zh-Hant";
    if (/^en\b/i.test(tag)) return "en";
  }
  return "en";
}

export function allTexts() {
  return TEXTS;
}
