package import TesseraCore

extension FlowOptions {
  /// Refuses the options that have no effect on a flow of native screens.
  ///
  /// - Throws: `Failure` of the kind `usage`, which names the option.
  package func refuseWhatPagesNeed() throws(Failure) {
    if let option = hardwareOption {
      throw Failure(.usage, "A flow of native screens uses no hardware.", remedy: "Leave out \(option).")
    }
    if locale != nil {
      throw Failure(
        .usage, "The document of a flow of native screens has its texts in one language only.",
        remedy: "Leave out --locale, and name a document in the other language.")
    }
    if relaxed {
      throw Failure(
        .usage, "Only the pages of a flow can allow selection and magnification, and this flow has native screens.",
        remedy: "Leave out --relaxed.")
    }
  }

  private var hardwareOption: String? {
    let options = [
      ("--grant", !grants.isEmpty), ("--virtual", card.virtualProfile != nil), ("--reader", card.reader != nil),
      ("--nfc", card.nfc != nil), ("--wait", card.wait != nil),
    ]
    return options.first { $0.1 }?.0
  }
}
