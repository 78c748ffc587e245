import TesseraVerification

/// The times of the read and of the verification, and the program.
struct PageFooter {
  let report: Report
  let software: String

  var html: HTML {
    var list = FieldList()
    list.add("Read at", report.readAt.map(PageDate.time) ?? "not recorded")
    list.add("Verified as of", PageDate.time(report.verifiedAt))
    list.add("Software", software, limit: 60)
    return .element(
      "footer", [],
      [
        list.html([]),
        .element("p", [], "This page contains personal data. It is complete in itself and loads nothing."),
      ])
  }
}
