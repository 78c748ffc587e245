import FCKOnboarding

/// What the user does in a sample, and the flow in which they do it.
struct FlowSample {
  enum Step {
    case type(String, String)
    case step(String, Int)
    case toggle(String)
    /// The date, the time or both as HTML writes them.
    case date(String, String)
    case option(String, Int)
    case press(String)
  }

  let name: String
  /// Whose numbers are written.
  var locale = "C"
  let document: String
  let steps: [Step]

  /// The same table for both back ends.
  static let all = [
    FlowSample(
      name: "fields",
      document: #"""
        {"version": 1, "screens": [{"id": "a", "type": "question", "root": {"id": "r", "type": "stack", "children": [
          {"id": "title", "type": "text", "content": "Who are you?"},
          {"id": "name", "type": "input", "label": "Name", "required": true, "variableKey": "name"},
          {"id": "mail", "type": "email", "label": "E-mail", "variableKey": "mail"},
          {"id": "tel", "type": "phone", "label": "Phone", "countryCode": "DE", "variableKey": "tel"},
          {"id": "kids", "type": "number", "label": "Children", "min": 0, "max": 5, "showStepper": true},
          {"id": "born", "type": "datepicker", "label": "Birthday", "mode": "date"},
          {"id": "go", "type": "button", "text": "Go on", "action": "complete"}]}}]}
        """#,
      steps: [
        .press("go"), .type("name", "Ada “<b>” Ünï"), .type("mail", "ada@example.org"), .type("tel", "+49 30 1"),
        .step("kids", 1), .step("kids", 1), .date("born", "1990-05-01"), .press("go"),
      ]),
    FlowSample(
      name: "choices",
      document: #"""
        {"version": 1, "screens": [{"id": "a", "type": "question", "root": {"id": "r", "type": "stack", "children": [
          {"id": "one", "type": "choice", "label": "One", "defaultValue": "y", "options": [
            {"id": "x", "label": "X", "value": "vx"}, {"id": "y", "label": "Y"},
            {"id": "z", "label": "Z", "icon": "⭐"}]},
          {"id": "more", "type": "choice", "label": "Several", "selectionMode": "multiple", "checkboxPosition": "right",
            "options": [{"id": "x", "label": "First"}, {"id": "y", "label": "Second"}, {"id": "z", "label": "Third"}]},
          {"id": "chips", "type": "options", "multiple": true, "layout": "horizontal", "options": [
            {"id": "m", "label": "Music", "value": "music"}, {"id": "s", "label": "Sport", "value": "sport"}]},
          {"id": "news", "type": "toggle", "label": "News", "labelPosition": "right", "defaultValue": true},
          {"id": "beta", "type": "toggle", "label": "Beta"},
          {"id": "go", "type": "button", "text": "Next", "action": "next"}]}},
          {"id": "b", "type": "informational", "root": {"id": "r", "type": "stack", "axis": "horizontal", "children": [
            {"id": "t", "type": "text", "content": "Almost done"},
            {"id": "end", "type": "button", "text": "Done", "tapBehaviors": [{"type": "complete"}]}]}}]}
        """#,
      steps: [
        .option("one", 2), .option("more", 2), .option("more", 0), .option("chips", 1), .toggle("news"),
        .toggle("beta"),
        .toggle("beta"), .press("go"), .press("end"),
      ]),
    FlowSample(
      name: "times",
      document: #"""
        {"version": 1, "screens": [{"id": "a", "type": "question", "root": {"id": "r", "type": "stack", "children": [
          {"id": "day", "type": "datepicker", "label": "Day", "required": true},
          {"id": "hour", "type": "datepicker", "label": "Hour", "mode": "time", "required": true},
          {"id": "both", "type": "datePicker", "label": "Both", "mode": "datetime"},
          {"id": "none", "type": "datepicker", "mode": "time"},
          {"id": "go", "type": "button", "text": "Go on", "action": "complete"}]}}]}
        """#,
      steps: [
        .press("go"), .date("day", "2024-02-29"), .date("hour", "08:05"), .date("both", "1999-12-31T23:59"),
        .press("go"),
      ]),
    FlowSample(
      name: "german", locale: "de_DE.UTF-8", document: numbers,
      steps: [
        .type("n", "abc"), .press("go"), .type("n", "1.234,5"), .type("m", "1,000"), .press("go"),
        .type("m", "2.5"), .press("go"), .type("m", "12.500"), .step("m", 1), .press("go"), .type("k", "٤٢"),
        .press("end"),
      ]),
    FlowSample(
      name: "english", locale: "en_US.UTF-8", document: numbers,
      steps: [
        .type("n", "2,5"), .press("go"), .type("n", "1,000"), .type("m", "200000"), .press("go"),
        .type("m", "-"), .step("m", 1), .press("go"), .type("m", "１，２３４"), .press("go"), .type("k", "\u{2212}1"),
        .press("end"), .type("k", "1"), .press("end"),
      ]),
    FlowSample(
      name: "no locale", document: numbers,
      steps: [
        .press("go"), .type("n", "1.250"), .press("go"), .type("n", "2,5"), .press("go"), .type("k", "5."),
        .press("end"), .type("k", "5.5"), .press("end"),
      ]),
    FlowSample(
      name: "no limits",
      document: #"""
        {"version": 1, "screens": [{"id": "a", "type": "question", "root": {"id": "r", "type": "stack", "children": [
          {"id": "w", "type": "number", "label": "Weight", "showStepper": true},
          {"id": "t", "type": "number", "label": "Temperature", "showStepper": true},
          {"id": "s", "type": "number", "label": "Steps", "showStepper": true},
          {"id": "go", "type": "button", "text": "Go on", "action": "complete"}]}}]}
        """#,
      steps: [
        .type("w", "180"), .step("w", 1), .type("t", "-1"), .step("t", -1), .step("s", 1), .step("s", -1),
        .step("s", -1), .press("go"),
      ]),
    FlowSample(
      name: "markup",
      document: #"""
        {"version": 1, "screens": [{"id": "a", "type": "informational", "root": {"id": "r", "type": "stack",
          "children": [
          {"id": "t", "type": "text", "content": "<script>document.title = 'owned'</script> & <b>bold</b>"},
          {"id": "bar", "type": "progressbar", "progress": 30},
          {"id": "c", "type": "choice", "options": [{"id": "<i>", "label": "<u>_Under & over</u>"}]},
          {"id": "go", "type": "button", "text": "<em>_Finish</em>", "action": "complete"}]}}]}
        """#,
      steps: [.option("c", 0), .press("go")]),
  ]

  /// Numbers on two screens.
  private static let numbers = #"""
    {"version": 1, "screens": [{"id": "a", "type": "question", "root": {"id": "r", "type": "stack", "children": [
      {"id": "n", "type": "number", "label": "Needed", "required": true, "max": 100000},
      {"id": "m", "type": "number", "label": "Optional", "max": 100000, "showStepper": true},
      {"id": "go", "type": "button", "text": "Next", "action": "next"}]}},
      {"id": "b", "type": "question", "root": {"id": "r", "type": "stack", "children": [
      {"id": "k", "type": "number", "label": "Last", "min": 0, "max": 100},
      {"id": "end", "type": "button", "text": "Done", "action": "complete"}]}}]}
    """#

  func flow() throws -> FlowConfig {
    var problems: [FlowProblem] = []
    return try FlowConfig(Array(document.utf8), problems: &problems)
  }
}
