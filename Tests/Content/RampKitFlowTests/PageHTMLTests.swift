import TesseraJSON
import Testing

@testable import RampKitFlow

/// The scanner of HTML, the parts of a document, and components.
@Suite struct PageHTMLTests {
  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// The tokens in a short form.
  private func tokens(_ html: String) -> [String] {
    var scanner = HTMLScanner(Array(html.utf8))
    var tokens: [String] = []
    func source(_ range: Range<Int>) -> String { text(Array(scanner.bytes[range])) }
    while let token = scanner.next() {
      switch token {
      case .text(let range): tokens.append("text " + source(range))
      case .startTag(let tag):
        let attributes = tag.attributes.map { "\($0.name)=\(HTMLText.decoded(scanner.bytes[$0.value]))" }
        tokens.append(([(tag.isSelfClosing ? "empty " : "start ") + tag.name] + attributes).joined(separator: " "))
      case .endTag(let name, _): tokens.append("end " + name)
      case .doctype: tokens.append("doctype")
      case .comment(let range): tokens.append("comment " + source(range))
      case .unfinished(let range): tokens.append("unfinished " + source(range))
      }
    }
    if let element = scanner.openElement { tokens.append("open " + element) }
    return tokens
  }

  @Test(arguments: [
    ("a<b>c</B >d", ["text a", "start b", "text c", "end b", "text d"]),
    ("<A HREF='x>y' b=\"<\" c=d>", ["start a href=x>y b=< c=d"]), ("<br/><img a=b/>", ["empty br", "start img a=b/"]),
    ("<i a b = c d= 'e'/>", ["empty i a= b=c d=e"]), ("<i =a=b>", ["start i =a=b"]),
    ("<i a='1' a='2'>", ["start i a=1 a=2"]),
    ("1 < 2 <3 <>", ["text 1 < 2 <3 <>"]), ("<!DocType html>x", ["doctype", "text x"]),
    (
      "<!-- <b> --><!--><!---><!----!>x",
      ["comment <!-- <b> -->", "comment <!-->", "comment <!--->", "comment <!----!>", "text x"]
    ),
    ("<?x?></ y><!z>", ["comment <?x?>", "comment </ y>", "comment <!z>"]),
    ("<script>a<b></scripty></ScRiPt><b>", ["start script", "text a<b></scripty>", "end script", "start b"]),
    ("<style></style>x", ["start style", "end style", "text x"]),
    ("<textarea><!--</textarea>", ["start textarea", "text <!--", "end textarea"]),
    ("<script>x</script", ["start script", "text x</script", "open script"]),
    ("<script>", ["start script", "open script"]),
    ("x<!-- y", ["text x", "unfinished <!-- y"]), ("<b c='", ["unfinished <b c='"]), ("<b", ["unfinished <b"]),
    ("<", ["text <"]), ("</", ["unfinished </"]), ("<!", ["unfinished <!"]), ("", []),
    (
      "<b x=&quot;&#39;&#x41;&amp;lt;&nope;&#0;&#xFFFFFFFF;&#55555555;&>",
      ["start b x=\"'A&lt;&nope;&#0;&#xFFFFFFFF;&#55555555;&"]
    ),
  ])
  func tagsTextsAndComments(html: String, expected: [String]) { #expect(tokens(html) == expected) }

  @Test(arguments: [
    // A part of a body stays as it is.
    ("<p>a</p><style>b</style>", "", "", "<p>a</p><style>b</style>", false),
    ("  <!-- c --> text <p>", "", "", "<!-- c --> text <p>", false),
    ("<script>a</script>b", "", "", "<script>a</script>b", false),
    // Whole documents.
    (
      "<!doctype html><html><head><meta charset=x><title>t<style></title><style>s</style><link rel=x><script>yes</script></head><body class='a b' id=c><p>x</p></body></html>",
      "<style>s</style><link rel=x><script>yes</script>", " class='a b' id=c", "<p>x</p>", true
    ),
    ("<HTML><BODY>x</BODY></HTML>", "", "", "x", true), ("<!doctype html><p>x", "", "", "<p>x", true),
    ("<head><style>s</style></head>x", "<style>s</style>", "", "x", true),
    ("<html><head><style>s</style><p>x<style>t</style>", "<style>s</style>", "", "<p>x<style>t</style>", true),
    ("<body>x</body>y<body>z</html>", "", "", "xyz", true), ("<html><head><style>s", "<style>s</style>", "", "", true),
    ("<html><head><noscript><style>s</style></noscript></head><body>x", "", "", "x", true),
    (
      "<body a=\"</body>\"><i b='<body>'>x</i><!--</body>-->", "", " a=\"</body>\"",
      "<i b='<body>'>x</i><!--</body>-->", true
    ),
    ("<body><p>x<!-- open", "", "", "<p>x", true), ("<p>x<textarea>y", "", "", "<p>x<textarea>y</textarea>", false),
    ("", "", "", "", false), ("   ", "", "", "", false),
  ])
  func theBodyOfADocument(html: String, head: String, attributes: String, content: String, isDocument: Bool) {
    let body = PageBody(html)
    #expect(text(body.head) == head)
    #expect(text(body.attributes) == attributes)
    #expect(text(body.content) == content)
    #expect(body.isDocument == isDocument)
  }

  @Test func scriptsOfAHeadAreNoted() {
    let scripts = PageBody("<head><script>a</script><title>t</title></head><body><script>b</script>")
    #expect(scripts.head == Array("<script>a</script>".utf8) && scripts.content == Array("<script>b</script>".utf8))
    #expect(PageBody("<script>x</script>").head == [])
  }

  // MARK: - Components

  private func expand(_ html: String, _ components: [String: String]) -> String {
    let all = components.map { ($0, FlowComponent(key: $0, html: $1)) }
    var expansion = ComponentExpansion(Dictionary(uniqueKeysWithValues: all))
    return text(expansion.expand(Array(html.utf8)))
  }

  @Test func aComponentHasPrefixesAndOverrides() {
    let card = "<h2 data-ramp-id=\"title\">Title <h2>x</h2></h2><img data-ramp-id='pic' src=a alt=b><b>c</b>"
    #expect(
      expand("<p><ramp-component key=card instance=c1 /></p>", ["card": card])
        == "<p><div data-ramp-component=\"card:c1\"><h2 data-ramp-id=\"c1:title\">Title <h2>x</h2></h2>"
        + "<img src=a alt=b data-ramp-id=\"c1:pic\"><b>c</b></div></p>")
    let overrides = #"{"title":{"text":"A<b"},"pic":{"src":"\"x"},"none":{"text":"y"}}"#
    #expect(
      expand("<ramp-component key=card instance=c1 overrides='\(overrides)'></ramp-component>!", ["card": card])
        == "<div data-ramp-component=\"card:c1\"><h2 data-ramp-id=\"c1:title\">A&lt;b</h2>"
        + "<img alt=b data-ramp-id=\"c1:pic\" src=\"&quot;x\"><b>c</b></div>!")
  }

  @Test func anActionBecomesRules() throws {
    for (action, expected) in [
      (#"{"type":"close"}"#, #"{"values":[{"conditionType":"if","rules":[],"actions":[{"type":"close"}]}]}"#),
      (
        #"[{"type":"haptic"},{"type":"close"}]"#,
        #"{"values":[{"conditionType":"if","rules":[],"actions":[{"type":"haptic"},{"type":"close"}]}]}"#
      ), (#"{"values":[]}"#, #"{"values":[]}"#), (#""{\"values\":[]}""#, #"{"values":[]}"#),
    ] {
      let html = expand(
        "<ramp-component key=a instance=i overrides='{\"x\":{\"action\":\(action)}}'>",
        ["a": "<b data-ramp-id=x data-tap-dynamic=old>"])
      #expect(
        html
          == "<div data-ramp-component=\"a:i\"><b data-ramp-id=\"i:x\" data-tap-dynamic=\"\(expected.escapedMarkup())\"></div>"
      )
    }
  }

  @Test func whatIsNoComponentIsAComment() {
    #expect(expand("a<ramp-component key='no--><b>' />b", [:]) == "a<!-- ramp-component nob: unknown component -->b")
    #expect(expand("<ramp-component>", [:]) == "<!-- ramp-component : unknown component -->")
    #expect(
      expand("<ramp-component key=a overrides='{broken'>", ["a": "x"]) == "<div data-ramp-component=\"a:a\">x</div>",
      "overrides that are not JSON change nothing")
  }

  @Test func idsOfInnerComponentsHaveBothPrefixes() {
    #expect(
      expand(
        "<ramp-component key=a instance=o>", ["a": "<ramp-component key=b instance=i>", "b": "<p data-ramp-id=x>"])
        == "<div data-ramp-component=\"a:o\"><div data-ramp-component=\"b:i\"><p data-ramp-id=\"o:i:x\"></div></div>")
  }

  @Test func componentsThatContainThemselvesHaveALimit() {
    let once = expand("<ramp-component key=a>", ["a": "x<ramp-component key=a>"])
    #expect(once.ranges(of: "data-ramp-component").count == ComponentExpansion.maximumDepth)
    #expect(once.contains("nested too deeply"))
    let often = expand(
      "<ramp-component key=a>end", ["a": String(repeating: "<ramp-component key=a>", count: 20) + "text"])
    #expect(often.contains("too large") && often.hasSuffix("end"))
    #expect(often.utf8.count <= 2 * ComponentExpansion.allowance)
  }

  @Test func theSizeOfComponentsHasALimit() {
    let text = String(repeating: "x", count: 1 << 20)
    // The screen's own size allows the element around the only one that has room.
    let many = expand(String(repeating: "<ramp-component key=a>", count: 20), ["a": text])
    #expect(many.ranges(of: "data-ramp-component").count == 1)
    #expect(many.ranges(of: "too large").count == 19)
    // A long instance before many ids, and a long text in each.
    let ids = String(repeating: "<p data-ramp-id=x></p>", count: 1_000)
    let instances = expand("<ramp-component key=a instance='\(text)'>", ["a": ids])
    #expect(instances == "<!-- ramp-component a: too large -->")
    let overrides = expand("<ramp-component key=a overrides='{\"x\":{\"text\":\"\(text)\"}}'>", ["a": ids])
    #expect(overrides == "<!-- ramp-component a: too large -->")
  }

  @Test(.timeLimit(.minutes(1))) func aLargeComponentWhoseTextIsReplacedOftenTakesNoLonger() {
    let large = "<p data-ramp-id=x>" + String(repeating: "<i>", count: 30_000) + "</p></ramp-component>"
    let uses = String(repeating: "<ramp-component key=a overrides='{\"x\":{\"text\":\"\"}}'>", count: 2_000)
    // All would be sixty million tags to read.
    let html = expand(uses, ["a": large])
    #expect(html.ranges(of: "<p data-ramp-id=\"a:x\"></p></div>").count == 2_000)
    var flow = OnboardingData()
    flow.screens = [ScreenPayload(id: "a", html: uses)]
    flow.components["a"] = FlowComponent(key: "a", html: large)
    #expect(FlowPageCheck.problems(in: flow) == [])
    let unwritten = expand(uses, ["a": String(repeating: "</ramp-component>", count: 10_000)])
    #expect(unwritten.hasSuffix("too large -->"))
  }

  /// What is read and not written: the tag of a component, and an attribute that is replaced.
  @Test(.timeLimit(.minutes(1))) func aLargeTagThatIsNotWrittenCountsEachTimeItIsRead() {
    let long = String(repeating: "x", count: 100_000)
    let uses = String(repeating: "<ramp-component key=a>", count: 60_000)
    let inner = expand(uses, ["a": "<ramp-component key=none long=\(long)>"])
    #expect(inner.ranges(of: "unknown component").count < 30)
    #expect(inner.hasSuffix("too large -->"))
    let override = "<ramp-component key=a overrides='{\"x\":{\"src\":\"\"}}'>"
    let replaced = expand(String(repeating: override, count: 100), ["a": "<img data-ramp-id=x src=\(long)>"])
    #expect(replaced.ranges(of: "<img").count == 10)
    #expect(replaced.hasSuffix("too large -->"))
  }

  /// The ends of elements are found by reading a component once more.
  @Test func aComponentIsReadTwiceOnlyIfItsTextsAreReplaced() {
    let text = "<p data-ramp-id=x></p>" + String(repeating: "x", count: ComponentExpansion.allowance * 2 / 3)
    #expect(expand("<ramp-component key=a>", ["a": text]).hasSuffix("xx</div>"))
    let replaced = expand("<ramp-component key=a overrides='{\"x\":{\"text\":\"y\"}}'>", ["a": text])
    #expect(replaced == "<!-- ramp-component a: too large -->")
  }

  // MARK: - Hostile texts

  private static let hostile: [String] = {
    let pieces = [
      "<", "<a", "<a ", "<a b=", "<a b='", "</", "</a", "<!", "<!-", "<!--", "<!---", "--!", "<?", "<script>",
      "</script",
      "<style>", "<textarea>", "&", "&#", "&#x", "&#x1;", "=", "'", "\"", "/>", ">", "<ramp-component",
      "<ramp-component key=a>",
      "<body", "<body>", "<head>", "<html>", "<p data-ramp-id=x>", "\u{0}", "é", "\u{301}", "${", "${'", "}",
    ]
    var texts = pieces + pieces.map { String(repeating: $0, count: 5_000) }
    texts += pieces.flatMap { one in pieces.map { one + $0 } }
    texts.append("<p \(String(repeating: "a='b' ", count: 50_000))>")
    texts.append(String(repeating: "<div>", count: 20_000) + "x" + String(repeating: "</div>", count: 20_000))
    return texts
  }()

  @Test(.timeLimit(.minutes(2))) func noTextTakesLongOrBreaksAnything() {
    for text in Self.hostile {
      var scanner = HTMLScanner(Array(text.utf8))
      var end = 0
      var isGapless = true
      while let token = scanner.next() {
        isGapless = isGapless && token.range.lowerBound == end && !token.range.isEmpty
        end = token.range.upperBound
      }
      #expect(isGapless && end == scanner.bytes.count, "every byte is in one token")
      var flow = OnboardingData()
      flow.screens = [ScreenPayload(id: "a", html: text, css: text, js: text)]
      flow.components["a"] = FlowComponent(key: "a", html: text)
      let html = PageDocument(
        flow.screens[0], of: flow, index: 0, context: nil, variables: [:], locale: text
      ).html
      #expect(html.hasSuffix("</body>\n</html>\n"))
      _ = FlowPageCheck.problems(in: flow)
    }
  }
}
