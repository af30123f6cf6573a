"""The direction in which an embedder tells statements from questions and small talk.

Who asks for a fact is answered by a statement. A question about the same thing is as near in words and in meaning, and a
reply such as "that sounds like fun" is near to everything; what they have in common is a direction of the space, which
sentences of each kind show. The sentences are plain ones, and those of a pair speak of the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from everyword.index import codes
from everyword.index.embedding import vectors
from everyword.ports import Embedder, ModelIdentity

_ENGLISH = (
    ("I moved to the new flat in March.", "When did you move to the new flat?"),
    ("My sister's dog is called Biscuit.", "What is your sister's dog called?"),
    ("We had dinner at the Thai place on Friday.", "Where did you have dinner on Friday?"),
    ("I have read fourteen books this year.", "How many books have you read this year?"),
    ("My neighbour helped me with the garden.", "Who helped you with the garden?"),
    ("I take the early train to work.", "Do you take the early train to work?"),
    ("The doctor said that my knee needs six weeks of rest.", "What did the doctor say about your knee?"),
    ("They moved the meeting to Thursday because of the strike.", "Why did they move the meeting to Thursday?"),
    ("The new bicycle cost 640 euros.", "How much did the new bicycle cost?"),
    ("He plays the saxophone in a band.", "What instrument does he play in the band?"),
    ("We finished painting the kitchen yesterday.", "Have you finished painting the kitchen?"),
    ("I cooked risotto for my parents.", "What did you cook for your parents?"),
    ("I started to learn the guitar two years ago.", "When did you start to learn the guitar?"),
    ("I am allergic to peanuts.", "Are you allergic to anything?"),
    ("I felt proud when our team won the prize.", "How did you feel when your team won the prize?"),
    ("I was nervous before the interview at the museum.", "Were you nervous before the interview?"),
    ("My favourite way to relax is a walk by the river.", "What is your favourite way to relax?"),
    ("The server runs on port 8443 since the update.", "Which port does the server run on since the update?"),
    ("She quit her job at the bank and opened a bakery.", "Why did she quit her job at the bank?"),
    ("I want to visit my aunt in Lisbon next summer.", "Who do you want to visit next summer?"),
)
_TRADITIONAL = (
    ("我三月搬到新家。", "你什麼時候搬到新家？"), ("我妹妹的狗叫小餅乾。", "你妹妹的狗叫什麼名字？"),
    ("我們星期五去吃泰國菜。", "你們星期五去哪裡吃飯？"), ("我今年讀了十四本書。", "你今年讀了幾本書？"),
    ("鄰居幫我整理花園。", "誰幫你整理花園？"), ("醫生說我的膝蓋要休息六個星期。", "醫生怎麼說你的膝蓋？"),
    ("新的腳踏車花了兩萬元。", "新的腳踏車花了多少錢？"), ("我隊得獎的時候我很驕傲。", "你們隊得獎的時候你覺得怎麼樣？"),
    ("他在樂團吹薩克斯風。", "他在樂團演奏什麼樂器？"), ("面試之前我很緊張。", "面試之前你緊張嗎？"),
)  # fmt: skip
_SIMPLIFIED = (
    ("我两年前开始学吉他。", "你什么时候开始学吉他？"), ("我的订单号码是48213。", "你的订单号码是多少？"),
    ("我们昨天把厨房漆好了。", "你们把厨房漆好了吗？"), ("我对花生过敏。", "你对什么过敏？"),
    ("我给爸妈做了烩饭。", "你给爸妈做了什么菜？"), ("会议因为罢工改到星期四。", "会议为什么改到星期四？"),
    ("我坐早班火车去上班。", "你坐早班火车去上班吗？"), ("我最喜欢的放松方式是在河边散步。", "你最喜欢的放松方式是什么？"),
    ("她辞掉银行的工作，开了一家面包店。", "她为什么辞掉银行的工作？"), ("明年夏天我想去看里斯本的姨妈。", "明年夏天你想去看谁？"),
)  # fmt: skip
_SMALL_TALK = (
    (
        "Wow, that is great!", "Congratulations, well done!", "Thanks, that means a lot.", "That sounds like fun!",
        "You've got this, keep going!", "Hey, long time no see!", "Take care, talk to you soon!",
        "I totally agree with you.", "That is so sweet of you.", "Sounds good, have a great day!",
        "Oh no, sorry to hear that.", "It is always nice to hear from you.", "Sure, no problem at all.",
        "You are welcome, anytime.", "Good morning, hope you are well.", "Great question, let me see.",
    ),
    (
        "太好了，恭喜你！", "謝謝，你真好。", "聽起來很有趣！", "好的，保重，下次聊！", "早安，祝你今天愉快。", "沒問題，不客氣。",
        "我很同意你說的。", "加油，你可以的！",
    ),
    (
        "真的吗？太棒了！", "谢谢你告诉我。", "好的，没问题。", "你好，好久不见！", "听起来不错，再见！", "不客气，随时都可以。",
        "很遗憾听到这个。", "说得对，我也这么想。",
    ),
)  # fmt: skip

_directions: dict[ModelIdentity, bytes] = {}


def declarative(embedder: Embedder) -> bytes:
    """Return the direction as float32 bytes, of length 1; each language has the same part in it. Raise ModelError."""
    if (known := _directions.get(embedder.identity)) is None:
        pairs = zip((_ENGLISH, _TRADITIONAL, _SIMPLIFIED), _SMALL_TALK, strict=True)
        found = np.mean([_of_language(embedder, said, small_talk) for said, small_talk in pairs], axis=0)
        known = (found / max(float(np.linalg.norm(found)), 1e-12)).astype(np.float32).tobytes()
        _directions[embedder.identity] = known
    return known


def _of_language(embedder: Embedder, said: Sequence[tuple[str, str]], small_talk: Sequence[str]) -> codes.Floats:
    statements, questions = zip(*said, strict=True)
    told, asked, talked = (vectors(embedder, texts).mean(axis=0) for texts in (statements, questions, small_talk))
    return told - (asked + talked) / 2.0
