"""How English and Chinese say things about oneself. Chinese is matched in its folded form, which is simplified."""

from __future__ import annotations

import re

from everyword.text.expression import expression

_I = re.IGNORECASE


def _english(pattern: str) -> re.Pattern[str]:
    return expression(pattern.replace("'", "['’]"), _I)


FIRST_PERSON = _english(r"\b(?:I|I'm|I've|I'd|I'll|my|mine|myself|me|we|we're|we've|our|ours|us)\b|[我俺咱]|本人")
QUESTION = expression(r"[?？][\s\"'”’」』)）]*$|[吗呢]\s*[。！!]?$")
ASKS = _english(
    r"^\W*(?:(?:so|and|but|ok|okay|hi|hello|hey)\W+)*(?:can|could|would|will|do|does|did|is|are|am|was|were|should|have|has|"
    r"what|what's|which|who|who's|where|where's|when|why|how|how's)\s+(?:you|your|i|we|my|our|it|that|this|the|there|to|"
    r"about|many|much|is|are|do|does|did|should|can|could|would|was|were|have|has)\b"
    r"|^\W*(?:请问|能不能|可不可以|是不是|有没有|为什么|怎么|谁|哪|什么|几)|什么$|我(?:叫|是|住|喜欢|说过|有|在)?(?:什么|谁|哪|几)"
)
ASKED_TO = _english(
    r"^\W*(?:please|pls|can|could|would|help|tell|write|give|show|explain|summari[sz]e|translate)\b|^(?:请|帮我|麻烦)"
)
REPORTED = _english(
    r"\b(?:he|she|they|someone|somebody|people|(?:the|this|that|an?) (?:\w+ )?(?:page|site|website|article|e-?mail|document|"
    r"tool|result|log|bot|assistant|ad|post|message|book|character|hero|protagonist|narrator|novel|story|letter|sign|label|"
    r"notification|review|comment|thread|output|source|wiki)|it|which)\s+(?:\w+ )?(?:said|says|told|tells|wrote|writes|claims?|"
    r"claimed|reads?|states?)\b|\byou (?:said|told|claimed|called)\b|\baccording to\b"
    r"|(?<![跟对和向])(?:他|她|他们|网页|网站|文章|文件|邮件|工具|结果|助手|你|书上|上面|有人|主角|角色|小说里|故事里|通知)(?:们)?(?:都)?(?:说|写|讲|告诉|声称|显示)"
)
UNREAL = _english(
    r"^\W*(?:if|suppose|imagine|pretend|assume|what if|say)\b|\bas if\b|\bif i (?:were|was|had|could)\b|\bi wish\b"
    r"|^(?:如果|假如|要是|假设|假装|想象)"
)
JOKE = _english(r"\b(?:just kidding|kidding|jk|lol|lmao|haha+|hehe+|joking|/s)\b|开玩笑|哈哈|笑死|说笑|骗你的|逗你")
GUESS = _english(
    r"\b(?:maybe|perhaps|probably|possibly|might|may be|not sure|unsure|i guess|i suppose|i think|i believe|i bet|i wonder|"
    r"seems?|apparently|or something)\b|可能|也许|大概|应该是|好像|说不定|不确定|不太确定|似乎|我猜|我觉得|我想应该|或许|恐怕"
)
PLAN = _english(
    r"\b(?:i'm|i am|we're|we are) (?:also |still |now )?(?:going|planning|hoping|about|thinking|looking|considering)\b"
    r"|\b(?:i|we)(?:'ll| will| shall| plan| want| hope| intend| would like|'d like| need| have) (?:to\b|be\b)"
    r"|\b(?:i'll|i will|we'll|we will|gonna|planning to|planned for|scheduled (?:for|to))\b|\btomorrow\b|\bnext (?:week|month|year)\b"
    r"|打算|准备|计划|想要|想去|要去|将会|明天|下周|下个月|明年|预定|预计|即将"
)
PAST = _english(
    r"\b(?:have|has|had|'ve|already|finally|just|yesterday|last (?:week|month|year|night)|ago|went|bought|got|made|"
    r"met|saw|took|gave|found|finished|done|did|was|were|[a-z]{3,}ed)\b|已经|昨天|上周|去年|刚刚|刚才|完成|[了过](?:[。，！\s]|$)"
)
RULE = _english(
    r"^\W*(?:please )?(?:(?:from now on|going forward|in (?:the )?future|remember)\W+(?:that )?(?:please )?"
    r"(?:(?:you )?(?:always|never|don't|do not|must|should|only|use|call|write|answer|reply|keep|avoid|i)\b)|"
    r"(?:always|never|don't ever|do not ever)\b)"
    r"|\b(?:i|we) (?:always|never) want (?:you )?to\b|\byou (?:must|should) (?:always|never)\b|\bi want you to always\b"
    r"|^(?:please )?(?:don't|do not|stop)\b.*\b(?:again|any ?more|ever)\b|^(?:请)?(?:别再|不要再|不准|禁止)"
    r"|^(?:请)?(?:以后|今后|从现在起|从今以后)(?:请|都|要|不要|别|一律)"
    r"|^(?:请)?(?:永远|一律|千万|绝对|务必|每次都)(?:不要|别|不可以|不能|要|用|请|先)"
)
CALL_ME = _english(r"\b(?:please |you can )?call me [a-z]+\b(?! back| later| when| if| at| on| tomorrow)|^请?叫我")

WISH = _english(
    r"\b(?:i|we)(?:'d| would)? (?:want|like|need|expect|prefer|ask|wish) (?:it if )?"
    r"(?:you|your|that you|answers?|replies|all|every|no)\b"
    r"|\byou (?:must|should|have to|need to|ought to|may|can|shall)\b|我(?:希望|要|想要)你|你(?:必须|应该|要|得|不要|别|不能)"
)
TELLS = _english(
    r"^\W*(?:(?:so|and|but|well|yes|no|today|yesterday|also|now|actually|btw|by the way)\W+)*"
    r"(?:i|i'm|i've|i'd|i'll|my|mine|me|we|we're|we've|our|he|she|they|it|there)\b|^\W*(?:我|俺|咱|他|她|它|昨天|今天)"
)
"""Sentences that tell what is or was, where nothing in them asks for something."""

LIKES = _english(
    r"\b(?:i|we)(?:'m| am|'ve| have)?\s+(?:(?:really|also|still|just|always|usually|mostly|now|absolutely|do|too|both)\s+)*"
    r"(?P<verb>don't (?:really |even )?(?:like|eat|drink|enjoy|want|use|take)(?: any)?|do not (?:like|eat|drink|enjoy|use|take)|"
    r"no longer (?:like|eat|drink|enjoy|use|take)|never (?:eat|drink|liked?|use)|can't (?:stand|eat|drink|have|tolerate)|"
    r"cannot (?:stand|eat|drink|have)|stopped (?:eating|drinking|liking|using|taking)|quit(?: drinking| eating)?|gave up|"
    r"given up|cut out|hate|dislike|avoid|detest|allergic to|intolerant to|love|like|prefer|enjoy|adore|eat|drink|use|"
    r"fond of|a (?:big )?fan of|into)\s+"
    r"(?!(?:the |your |that |this )?(?:ideas?|sound|look|thought|concept|suggestions?|way)\b)"
    r"(?!(?:that|those|these|this|it|them|you|your)\b)"
    r"(?P<object>[^,.;:!?，。；！？\n(（]{2,60})"
)
AGAINST = _english(
    r"don't|do not|no longer|never|can't|cannot|stopped|quit|gave up|given up|cut out|hate|dislike|avoid|detest|allerg|intoler"
)
LIKES_ZH = expression(
    r"我(?:们)?(?:现在|已经|还|还是|很|最|也|都|真的|真|超|超级|非常|特别|比较|一直|每天|每天早上|平常|平时|以前|从来|从此|后来|又|开始)*"
    r"(?P<verb>不再(?:喝|吃|喜欢|用)|不(?:太|怎么|能|敢)?(?:喜欢|爱|喝|吃|用)了?|没办法(?:吃|喝)|戒掉?了?|讨厌|受不了|避开|"
    r"喜欢(?:喝|吃|用)?|爱(?:喝|吃|用)?|偏好|偏爱|喝|吃)(?P<object>[^，。；！？,.;!?\s(（]{1,16})"
)
ALLERGY_ZH = expression(r"我(?:们)?(?:也|还)?对(?P<object>[^，。；！？,.;!?\s]{1,12}?)(?:有|会|严重|很)*过敏")
AGAINST_ZH = expression(r"不|没办法|戒|讨厌|受不了|避开")
END_OF_OBJECT = _english(
    r"\s+(?:because|since|but|and i|so|when|while|anymore|any more|now|these days|every|last|this|next|since|in the|"
    r"at (?:work|home|night)|"
    r"for (?:breakfast|lunch|dinner)|too much|a lot|very much|as well|either|instead|lately|with my)\b.*$"
)
END_OF_OBJECT_ZH = expression(r"(?:因为|但是|但|所以|而且|的时候).*$|[了的啦喔哦啊呀嘛]+$")

SINGLE = (
    (
        "name",
        _english(
            r"\bmy (?:full |real |first |last )?name is\b|\b(?:you can |please )?call me\b|\bi(?:'m| am) called\b"
        ),
        expression(r"(?:我叫|我的名字(?:是|叫)|叫我)(?!什么|谁)"),
    ),
    (
        "home",
        _english(
            r"\b(?:i|we) (?:now |currently |still )?live in\b|\b(?:i|we)(?:'ve| have)? (?:just |recently )?moved (?:back )?to\b"
            r"|\bi(?:'m| am) (?:now )?based in\b"
        ),
        expression(r"我(?:们)?(?:现在|目前|家)?住(?:在)?|我(?:们)?(?:已经|刚|刚刚)?搬(?:到|去|来)"),
    ),
    (
        "job",
        _english(
            r"\bi (?:now |currently )?work (?:at|for|as)\b|\bi(?:'m| am) (?:now )?working (?:at|for|as)\b|\bmy (?:new )?job is\b"
        ),
        expression(r"我(?:现在|目前)?在[^，。！？,.]{1,14}(?:工作|上班|任职)|我的(?:工作|职业)是"),
    ),
)
"""What somebody has one of at a time, and how it is said in each language."""
IS_A = _english(
    r"\bi(?:'m| am) (?:an? (?!bit\b|little\b|lot\b)|(?:vegetarian|vegan|left-handed|colou?r-?blind|diabetic|lactose)\b|from\b)"
    r"|我是(?:一?[个名位]|[^说想要不在]{2,8}(?:人|师|生|员|者)[。，！]?)"
)
ATTRIBUTE = _english(
    r"\b(?:(?:my|our|the) (?:new |current |correct |right )?(?P<slot>(?:order|phone|mobile|account|tracking|invoice|policy|"
    r"room|flight|ticket|case|contract|member(?:ship)?) (?:number|no\.?|id)|delivery date|deadline|budget)"
    r"|(?:my|our) (?:new |current )?(?P<own>e-?mail(?: address)?|(?:home |postal )?address|birthday|anniversary|"
    r"favou?rite \w+(?: (?!is\b|are\b|was\b)\w+)?|salary|rent|height|weight|age|blood type|shoe size|size))"
    r"(?:\s*[:=]|'s| is| was| are| (?:has |was |is )?(?:now |actually )?(?:changed|moved|updated) to)\s"
)
ATTRIBUTE_ZH = expression(
    r"(?:我的|我们的|这个|正确的)?(?P<slot>订单(?:编)?号码?|电话(?:号码)?|手机(?:号码)?|地址|生日|信箱|邮箱|预算|薪水|房租|身高|体重|血型|"
    r"帐号|账号|房号|航班(?:号)?|合约号|合同号|最(?:爱|喜欢)的[^是，。]{1,4}|交期|截止日期?)(?:现在|应该|其实)?"
    r"(?:是|为|改成|改为|换成|更新为|[:：])"
)
RELATIVE = _english(
    r"\b(?:my|our) (?:\w+ )?(?P<who>cat|dog|pet|puppy|kitten|parrot|hamster|wife|husband|partner|girlfriend|boyfriend|fianc[ée]e?|son|"
    r"daughter|kids?|child|children|baby|mother|father|mom|mum|dad|parents|sister|brother|twin|uncle|aunt|cousin|grandmother|"
    r"grandma|grandfather|grandpa|friend|roommate|boss|manager|colleague|team|company|car|bike|motorcycle|house|apartment|"
    r"flat|phone|laptop|computer|garden|doctor|dentist)(?:'s)?\b"
)
RELATIVE_ZH = expression(
    r"我(?:们)?(?:的|家)?(?:的)?(?P<who>猫|狗|宠物|鹦鹉|仓鼠|太太|老婆|先生|老公|丈夫|妻子|女朋友|男朋友|儿子|女儿|孩子|小孩|妈妈?|爸爸?|母亲|父亲|"
    r"姐姐?|妹妹?|哥哥?|弟弟?|爷爷|奶奶|外公|外婆|朋友|同事|老板|主管|公司|车|房子|电脑|手机|医生|牙医)(?!是谁|叫什么)"
)
WRONG_VALUE = (
    _english(r"\b(?:not|instead of|rather than|and not)\s+(?:the )?#?(?P<old>[\w./-]*\d[\w./-]*)"),
    _english(
        r"\b(?:change|changed|correct|corrected|update|updated)(?: it)?(?: from)?\s+#?(?P<old>[\w./-]*\d[\w./-]*) (?:to|into|with)\b"
    ),
    expression(r"不是\s*(?P<old>[\w./-]*\d[\w./-]*)"),
    expression(r"(?:把|从)?(?P<old>[A-Za-z0-9./-]*\d[A-Za-z0-9./-]*)\s*(?:改成|改为|更正为|换成)"),
)
"""A value with figures that the user says is wrong."""
