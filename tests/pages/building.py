"""A questionnaire of five kinds of questions as it is built on the design page."""


def add(page, text, kind):
    """A further question, open to be changed."""
    page.get_by_role("button", name="Add a question").click()
    begun(page, text, kind)


def begun(page, text, kind):
    """The open question with its text and kind."""
    page.get_by_label("Kind of answer").select_option(kind)
    page.get_by_label("as people will read it").fill(text)


def build(page):
    """A questionnaire of a list, a scale, a number, yes or no and several boxes, in two languages, with labels."""
    begun(page, "What were you last treated for?", "choice")
    page.get_by_label("One answer per line").fill("nothing\ncold\nallergy\nHIV")
    page.get_by_label("Every answer", exact=True).check()
    add(page, "How content are you?", "scale")
    page.get_by_label("One answer per line").fill("not at all\na little\nquite\nvery")
    page.get_by_label("so many steps apart").fill("2")
    page.get_by_label("Also offer “prefer not to say”").check()
    add(page, "How old are you?", "number")
    page.get_by_label("Smallest").fill("18")
    page.get_by_label("Largest").fill("90")
    page.get_by_label("Unit").fill("years")
    page.get_by_label("Asked as").select_option("bands")
    page.get_by_label("Numbers in a band").fill("10")
    page.get_by_label("this far apart").fill("20")
    add(page, "Do you smoke?", "yes/no")
    add(page, "What do you own?", "box")
    page.get_by_label("One box per line").fill("a car\na bicycle")
    page.get_by_label("Title").fill("Health and habits")
    page.get_by_text("Who asks, introduction, consent").click()
    page.get_by_label("Who asks, and how").fill("The example institute, survey@example.org")
    page.get_by_label("Introduction").fill("Five short questions.")
    page.get_by_label("Consent").fill("I am 18 or older and take part of my own free will.")
    page.get_by_label("Thank-you text").fill("Thank you for your time.")
    page.get_by_text("Background questions", exact=True).click()
    page.get_by_role("button", name="Add a background question").click()
    page.get_by_role("textbox", name="Background question 1").fill("Which region do you live in?")
    page.get_by_label("Its answers, one per line").fill("north\nsouth")
    page.get_by_text("Languages", exact=True).click()
    page.get_by_label("Another language").fill("de")
    page.get_by_role("button", name="Add this language").click()
    for text, said in (
        ("Health and habits", "Gesundheit und Gewohnheiten"),
        ("What were you last treated for?", "Weswegen wurden Sie zuletzt behandelt?"),
        ("cold", "Erkältung"),
        ("What do you own?", "Was besitzen Sie?"),
        ("a bicycle", "ein Fahrrad"),
        ("north", "Norden"),
    ):
        page.locator("details.card[open]").get_by_label(text, exact=True).fill(said)
    page.get_by_text("uses").first.wait_for()
