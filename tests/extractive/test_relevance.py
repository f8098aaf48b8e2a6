"""Which quotations answer: whose words they are, their form, and what they lead to."""

from tests.extractive.test_composition import answered, chunk, quotations

HOST = (
    "ADA LOVELACE: Our guest today is Ben Bloom. Ben Bloom is the founder of Pondworks in Oslo.\n\n"
)


def first(question: str, *texts: str) -> str:
    """The first quotation of the answer from chunks with these texts, "" if there is none."""
    chunks = [chunk(text, number, f"Talk {number}") for number, text in enumerate(texts, 1)]
    return next(iter(quotations(answered(question, *chunks))), "")


def test_a_guest_is_quoted_and_not_introduced() -> None:
    said = "BEN BLOOM: As a student I studied frogs and the water of many ponds in Oslo."
    assert "I studied frogs" in first("What did Ben Bloom study in Oslo?", HOST + said)
    assert "Ben Bloom is the founder" in first("Who is the founder of Pondworks?", HOST + said)


def test_what_somebody_says_is_quoted_of_nobody_else() -> None:
    talk = (
        "ADA LOVELACE: Ponds are a danger for robots, I always thought, and frogs live there.\n\n"
        "BEN BLOOM: Ponds are full of life, and no robot that I know of was ever lost in one."
    )
    [said] = quotations(answered("What does Ben Bloom say about ponds?", chunk(talk)))
    assert "full of life" in said
    assert answered("What does Clara Schumann say about ponds?", chunk(talk)) == ""


def test_what_a_company_says_is_quoted_of_anybody() -> None:
    talk = "BEN BLOOM: Pondworks says that ponds are full of life, and Clara agrees with them."
    assert "full of life" in first("What does Pondworks say about ponds and Ben Bloom?", talk)


def test_a_text_without_speakers_is_quoted_for_what_somebody_says() -> None:
    text = "Clara Schumann wrote that ponds are full of life, and she went there every day."
    assert "full of life" in first("What does Clara Schumann say about ponds?", text)


def test_a_person_whom_the_question_describes_is_found_by_the_introduction() -> None:
    text = HOST + "BEN BLOOM: A school must be small, because children learn from each other."
    other = "CLARA SCHUMANN: A school must be large, because children like many others."
    assert "must be small" in first(
        "What does the founder of Pondworks say of schools?", text, other
    )
    assert "must be small" in first(
        "The man who founded Pondworks, what is his school?", text, other
    )


def test_hosts_do_not_answer_for_guests() -> None:
    texts = [
        f"ADA LOVELACE: I love robots {n}, and each robot here is a friend of mine.\n\n"
        f"{name}: Robots need {thing} more than anything else that we can give them."
        for n, (name, thing) in enumerate(
            [("BEN BLOOM", "ponds"), ("CLARA SUN", "songs"), ("DAN", "oil")]
        )
    ]
    chunks = [chunk(text, number, f"Talk {number}") for number, text in enumerate(texts, 1)]
    said = quotations(answered("What do the guests say about robots?", *chunks))
    assert said
    assert not any("friend of mine" in line for line in said)


def test_a_reason_a_place_and_advice_come_before_what_only_shares_the_words() -> None:
    why = (
        "BEN BLOOM: Leaving Oslo was a long story with many pages.\n\n"
        "I left Oslo because I wanted to see the frogs of the south."
    )
    assert "because I wanted" in first("Why did he leave Oslo?", why)
    where = "I grew up slowly with my sisters.\n\nI grew up in Albania with my brothers."
    assert "Albania" in first("Where did she grow up?", where)
    advice = (
        "Founders get advice from everybody, and most of them forget the advice at once.\n\n"
        "If you found a company, you should talk to ten customers before you write any code."
    )
    assert "ten customers" in first("What advice is there for founders of a company?", advice)


def test_a_long_sentence_is_quoted_whole() -> None:
    long = (
        "I studied the frogs of Oslo because the professor whom I was sent to said that by "
        "the time I would finish a course on birds, I would be only one or two classes short of "
        "a degree on frogs, and that people would know at once what I could do with such a degree."
    )
    assert long in first(
        "What did you study in Oslo?", f"BEN BLOOM: I went to Oslo then. {long} Good."
    )


def test_an_afterthought_is_no_question() -> None:
    text = "BEN BLOOM: You know, it is like frogs on steroids, right?"
    assert "steroids" in first("What is like frogs?", text)


def test_a_request_and_what_leads_to_a_question_are_answered_by_the_next_speaker() -> None:
    asked = (
        "ADA LOVELACE: You founded Pondworks ten years ago. Tell us about how Pondworks "
        "has changed.\n\nBEN BLOOM: We began with two people and a bucket, and now we are many."
    )
    assert "two people and a bucket" in first("How has Pondworks changed?", asked)


def test_a_quotation_is_not_widened_by_an_unfinished_sentence() -> None:
    text = (
        "BEN BLOOM: The sin of all writing on frogs is that it is so long.\n\n"
        "ADA LOVELACE: Frogs are written about too long. The people, I even in my book --\n"
    )
    assert answered("What is the sin of writing on frogs?", chunk(text)) != ""


def test_what_answers_much_worse_than_the_best_is_left_out() -> None:
    best = "Frogs eat insects at night near the ponds of Oslo."
    worse = "Frogs are green."
    said = quotations(answered("What do frogs eat at night in Oslo?", chunk(best), chunk(worse, 8)))
    assert len(said) == 1


def test_which_guests_are_something_is_answered_by_their_introductions() -> None:
    texts = (
        "ADA LOVELACE: Our guest today is Ben Bloom, a writer of songs.\n\nBEN BLOOM: Hi.",
        "CLARA SUN: I met many a writer in my life, and songs were always dear to me.",
    )
    chunks = [chunk(text, number, f"Talk {number}") for number, text in enumerate(texts, 1)]
    said = quotations(answered("Which guests are writers of songs?", *chunks))
    assert "Our guest today is Ben Bloom" in said[0]


def test_each_guest_is_quoted_once_where_all_are_asked() -> None:
    talk = (
        "BEN BLOOM: Robots need ponds, and I would give each robot a pond of its own.\n\n"
        "BEN BLOOM: Robots also want to swim, as every child who has a robot knows well.\n\n"
        "CLARA SUN: Robots need songs, and nothing else makes such a machine happy."
    )
    said = quotations(answered("What do the guests say about robots?", chunk(talk)))
    assert len(said) == 2
