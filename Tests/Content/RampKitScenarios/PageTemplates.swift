import RampKitFlow
import TesseraBridge

/// Templates in texts and attributes, before and after variables change.
@MainActor
enum PageTemplates {
  /// Argument: the part.
  static func run(_ arguments: [String]) async throws {
    if arguments.first == "texts" {
      try await texts()
      try await truth()
      try await longTexts()
    } else {
      try await attributes()
      try await changes()
    }
  }

  private static func texts() async throws {
    var context = PageContext(device: .init(platform: "Linux"), user: .init(id: "rk_1", isNewUser: true))
    context.device.language = "de"
    let page = try await ShownPage(
      html: """
        <p id="name">Hi ${name}, ${ name }!</p><p id="context">${device.platform} ${device.language} ${user.id}</p>
        <p id="unknown">[${nobody}${device.nothing}${constructor}${device.constructor}${a + b}${}]</p>
        <p id="equal">${plan == "free" ? "gratis" : "paid"}</p><p id="number">${age >= 18 ? 'adult' : 'minor'}</p>
        <p id="names">${name ? name : "friend"}</p><p id="quotes">${name ? "a } b : c ? d" : "no"}</p>
        <p id="open">a ${name and ${name}</p><p id="end">${name ? "x</p>
        <p id="lines">one\\ntwo ${name}\\nthree</p><p id="state">${onboarding.currentIndex} ${onboarding.screenId}</p>
        <p id="object">${prefs}</p><p id="apostrophe">${name's} and ${name}</p>
        <textarea id="area">${name}</textarea><script id="script" type="text/plain">${name}</script>
        """,
      variables: ["name": "Ada", "plan": "free", "age": 30, "prefs": ["dark": true]], context: context)
    func read() async throws -> JSONValue {
      try await page.value(
        "Object.fromEntries([...document.querySelectorAll('[id]')].map((one) => [one.id, one.textContent]))")
    }
    observe("before", try await read())
    observe("breaks before", try await page.value("document.querySelectorAll('#lines br').length"))
    page.send(["name": "<b>Bo</b> & \"co\"", "plan": "pro", "age": 9])
    try await page.wait("document.querySelector('#equal').textContent === 'paid'")
    observe("after", try await read())
    observe("elements", try await page.value("document.querySelectorAll('b').length"))
    observe("breaks after", try await page.value("document.querySelectorAll('#lines br').length"))
    page.send(["name": "one\\ntwo"])
    try await page.wait("document.querySelectorAll('#lines br').length === 3")
    observe(
      "lines", try await page.value("[...document.querySelector('#lines').childNodes].map((one) => one.nodeName)"))
    page.send(.state(currentIndex: 4, screenId: "fifth", totalScreens: 7))
    try await page.wait("document.querySelector('#state').textContent === '4 fifth'")
    page.close()
  }

  /// The words of a choice for each value.
  private static func truth() async throws {
    let page = try await ShownPage(html: "<p>${value ? \"yes\" : \"no\"}</p>")
    observe("missing", try await page.text("p"))
    var seen: [JSONValue] = []
    for value: JSONValue in ["", "0", "false", 0, false, nil, "a", 1, true, "00", []] {
      try await page.value("rampkitUpdateVariables({value: \(value.text)})")
      seen.append(try await page.text("p"))
    }
    observe("truth", .array(seen))
    page.close()
  }

  private static func attributes() async throws {
    let page = try await ShownPage(
      html: """
        <a id="a" href="https://example.org/${path}" title="${path}" class="x ${look} y">a</a>
        <img id="img" src="data:image/png;base64,${path}" alt="${path}">
        <input id="input" placeholder="${path}" value="${path}"><i id="i" data-text="${path}" data-other="${path}"></i>
        <a id="script" href="${address}">s</a>
        <u id="u" class="one ${path == 'p1' ? 'first row' : 'later'} ${look}">u</u>
        """, variables: ["path": "p1", "look": "warm", "address": " java\nscript:alert(1)"])
    func read() async throws -> JSONValue {
      try await page.value(
        """
        ({href: a.getAttribute("href"), title: a.title, class: a.className, src: img.getAttribute("src"), alt: img.alt,
          placeholder: input.placeholder, value: input.value, text: i.dataset.text, other: i.dataset.other,
          u: [...u.classList].sort(), script: document.getElementById("script").getAttribute("href")})
        """)
    }
    observe("attributes before", try await read())
    // A class that was added meanwhile stays, and what a user typed, too.
    try await page.value("a.classList.add('tapped'), input.value = 'typed'")
    page.send(["path": "p2 \"><b>", "look": "cold dark", "address": "https://example.org/"])
    try await page.wait("a.classList.contains('dark')")
    observe("attributes after", try await read())
    // A value that looks like a template is none.
    try await page.value("u.classList.add('tapped')")
    page.send(["look": "${path}"])
    try await page.wait("u.classList.contains('${path}')")
    try await page.value("rampkitResolveTemplates(), rampkitResolveTemplates()")
    observe("no template", try await page.value("[...u.classList].sort()"))
    page.close()
  }

  /// What the page changes itself.
  private static func changes() async throws {
    let page = try await ShownPage(
      html: "<p id=own>${name}</p><p id=removed>${name}</p><div id=box></div>", variables: ["name": "Ada"])
    try await page.value(
      "own.firstChild.data = 'mine', removed.remove(), box.innerHTML = '<p id=added title=\"${name}\">new ${name}</p>'"
    )
    try await page.value("rampkitResolveTemplates()")
    observe("added", try await page.text("#added"))
    page.send(["name": "Bo"])
    try await page.wait("added.title === 'Bo'")
    observe("own", try await page.text("#own"))
    observe("added later", try await page.text("#added"))
    // The page replaces the object of the variables.
    try await page.value("window.__rampkitVariables = {name: 'Cy'}, rampkitResolveTemplates()")
    observe("replaced", try await page.text("#added"))
    try await page.value("window.__rampkitVariables = 5, rampkitResolveTemplates()")
    observe("no object", try await page.text("#added"))
    // A value that has no text.
    try await page.value("__rampkitVariables = {name: window}, rampkitResolveTemplates()")
    observe("no text", try await page.text("#added"))
    page.close()
  }

  /// Long hostile texts take no longer than others.
  private static func longTexts() async throws {
    let page = try await ShownPage(html: "<p id=p></p>", variables: ["name": "Ada"])
    for (name, text) in [
      ("open", "'${'.repeat(300000)"), ("apostrophes", "'${\\''.repeat(300000)"),
      ("quotes", "'${\"\\'}'.repeat(300000)"),
      ("deep", "'${a ? '.repeat(300000)"), ("long", "'${' + 'a'.repeat(1000000) + '} ${name}'"),
      ("many", "'${name}'.repeat(100000)"),
    ] {
      observe(
        "long \(name)",
        try await page.value("p.textContent = \(text), rampkitResolveTemplates(), p.textContent.length"))
    }
    page.close()
  }
}
