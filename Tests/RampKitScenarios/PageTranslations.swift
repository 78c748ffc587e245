#if canImport(CTesseraWebKitGTK)
  import RampKitFlow
  import TesseraBridge

  /// Translations: where their texts go, and a page that changes its language.
  @MainActor
  enum PageTranslations {
    static func run(_ arguments: [String]) async throws {
      let page = try await ShownPage(
        html: """
          <p id=p data-ramp-id=hello>Hello ${name}</p>
          <button id=b data-ramp-id=go><img data-ramp-id=pic alt=picture> Go</button><input id=i data-ramp-id=field>
          <p id=o data-ramp-id=other>stays</p>
          """,
        translations: [
          "de": ["hello": "Servus"], "ar": ["hello": "مرحبا ${name}"],
          "de_at": ["hello": "Hallo <b>${name}</b>", "go": "Los", "pic": "Bild", "field": "Name"],
        ], variables: ["name": "Ada"], locale: "de_AT")
      func read() async throws -> JSONValue {
        try await page.value(
          """
          ({lang: document.documentElement.lang, dir: document.documentElement.dir, text: p.textContent,
            button: b.textContent.trim(), pictures: b.querySelectorAll("img").length, field: i.placeholder,
            alt: b.querySelector("img").alt, other: o.textContent, bold: p.querySelectorAll("b").length})
          """)
      }
      observe("start", try await read())
      try await page.value("__rampkitApplyTranslations({ar: {hello: 'مرحبا ${name}'}}, 'ar_EG', 'ar')")
      page.send(["name": "Bo"])
      try await page.wait("p.textContent.includes('Bo')")
      observe("changed", try await read())
      try await page.value("__rampkitApplyTranslations({de: {hello: 'x'}}, 'fr_FR', 'fr')")
      observe("none", try await read())
      try await page.value("__rampkitApplyTranslations({de: {hello: 'x'}, he: {}}, 'de_CH', 'de')")
      observe("back", try await read())
      for map in ["null", "5", "{}", "{de: 5}", "{de: {hello: 5}}"] {
        try await page.value("__rampkitApplyTranslations(\(map), 'de', 'de')")
      }
      observe("no map", try await read())
      page.close()
    }
  }
#endif
