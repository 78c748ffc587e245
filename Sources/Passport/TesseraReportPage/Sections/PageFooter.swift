/// The times of the read and of the verification, and the program.
struct PageFooter {
  let times: [(label: String, time: String)]
  let software: String

  var html: HTML {
    var list = FieldList()
    for (label, time) in times { list.add(label, time) }
    list.add("Software", software, limit: 60)
    return .element(
      "footer", [],
      [
        list.html([]),
        .element("p", [], "This page contains personal data. It is complete in itself and loads nothing."),
      ])
  }
}
