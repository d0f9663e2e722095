"""What a need leaves out is read by its words."""

from embeddings.text.exclusion import content, read_exclusion


def test_what_is_left_out_is_told_from_the_rest() -> None:
    for text, excluded, rest in [
        ("undo that doesn't depend on git", "git", "undo"),
        ("in the terminal, not an editor plugin", "editor plugin", "in the terminal"),
        ("on my own machine rather than in the cloud", "cloud", "on my own machine"),
        ("commits without a co-author line", "co-author line", "commits"),
        ("issues of other trackers than GitHub", "GitHub", "issues of"),
        ("plugins for any editor but VS Code", "VS Code", "plugins for"),
        ("answers from the code alone, Google search excluded", "Google search", "answers from the code alone"),
    ]:
        found = read_exclusion(text)
        assert (found.excluded, found.rest) == (content(excluded), rest), text


def test_leaving_out_can_be_all_that_is_asked_for() -> None:
    for text, excluded in [
        ("no API key needed", "API key"),
        ("without docker", "docker"),
        ("doesn't require a paid plan", "paid plan"),
        ("JetBrains not needed", "JetBrains"),
    ]:
        found = read_exclusion(text)
        assert (found.is_whole, found.excluded, found.rest) == (True, content(excluded), ""), text


def test_what_is_to_be_turned_off_is_left_out_and_stays_the_subject() -> None:
    found = read_exclusion("Can telemetry be turned off?")
    assert found.excluded == content("telemetry")
    assert found.rest == "Can telemetry be turned off?"


def test_what_is_off_blocked_or_not_kept_is_to_be_turned_off() -> None:
    for text, off in [
        ("thinking disabled", "thinking"),
        ("fast answers with thinking off", "thinking"),
        ("block remote control", "remote control"),
        ("stop it from pushing branches", "pushing branches"),
        ("don't keep any transcripts", "any transcripts"),
    ]:
        assert read_exclusion(text).off == content(off), text
    for text in ["scheduled runs with the computer off", "a hook that can block a tool call"]:
        assert not read_exclusion(text).off, text


def test_what_only_need_not_be_there_is_told_from_what_must_not() -> None:
    for text in ["no Docker needed", "extend it without plugins", "doesn't need an IDE", "mail instead of Slack"]:
        assert read_exclusion(text).is_optional, text
    for text in ["no sub-agents", "never pushes", "free of ads", "needs Node.js"]:
        assert not read_exclusion(text).is_optional, text


def test_other_negative_words_leave_nothing_out() -> None:
    for text in [
        *("not only files", "it does not work", "no longer in my terminal", "not sure how to start"),
        *("asks yes or no for every command", "I have no clue what it does", "with or without docker"),
    ]:
        assert not read_exclusion(text).excluded, text


def test_a_text_that_states_what_something_does_is_told_from_a_wish() -> None:
    for text in ["needs Node.js installed", "uses git for undo", "adds itself as co-author"]:
        assert read_exclusion(text).states, text
    for text in [
        "works without Node",
        "does it need Node.js",
        "runs offline",
        "uses no git",
        "lets me disable it, not ask",
    ]:
        assert not read_exclusion(text).states, text


def test_a_verb_of_the_main_clause_can_be_denied() -> None:
    for text in [
        "a hook that can't stop a tool call",
        "dev server not left running after the turn",
        "admin settings nobody may override, never read by plugins",
        "slash commands kept out of the repo",
    ]:
        assert read_exclusion(text).denies, text
    for text in [
        "keeps going when I can't watch",
        "not only my files",
        "why can't it see my files",
        "doesn't do it anymore",
        "cloud task with the computer off",
    ]:
        assert not read_exclusion(text).denies, text


def test_what_is_wanted_in_place_of_what_is_left_out_is_told() -> None:
    assert read_exclusion("hosted models instead of ollama").replaces
    assert not read_exclusion("hosted models without ollama").replaces
    assert read_exclusion("in the terminal, not an editor").contrasts
    assert not read_exclusion("not an editor").contrasts


def test_what_is_left_out_of_a_list_is_excluded() -> None:
    for text in ["Does it leave out files that git ignores?", "ignores files"]:
        assert read_exclusion(text).excluded == content("files"), text


def test_a_list_of_which_nothing_is_wanted_is_left_out_to_its_end() -> None:
    assert read_exclusion("keyboard only, no microphone or voice").excluded == content("microphone voice")


def test_what_is_cut_off_from_something_is_free_of_it() -> None:
    assert read_exclusion("Can commands be cut off from the network?").excluded == content("network")


def test_what_is_denied_is_told_in_order() -> None:
    assert read_exclusion("checkpoints that don't make git commits").denied == ("make", "git", "commit")


def test_words_that_mean_the_same_are_compared_as_one() -> None:
    assert content("works by itself") == content("works automatically")
    assert content("needs the internet") == content("needs the network")
