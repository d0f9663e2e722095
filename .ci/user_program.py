"""A user's program: `.ci/run` runs it on the installed wheel, and mypy checks its types in strict mode."""

from agent_capabilities import Encoder, Label, Matcher, MatchResult, PhraseBook, PhraseError

book = PhraseBook((Label("Refund", phrasings=("I want my money back",)), Label("Delivery", aliases=("shipping",))))
matcher = Matcher.build(book, Encoder.load())
result: MatchResult = matcher.match("shipping", top=2)
print(result.decision, result.matches[0].name, result.matches[0].match_confidence)
try:
    matcher.match(" ")
except PhraseError as error:
    print(error)
