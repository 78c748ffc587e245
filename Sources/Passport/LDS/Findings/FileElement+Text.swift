extension FileElement {
  /// UTF-8. Some issuers wrote ISO/IEC 8859-1 before it was settled; that is taken for what it is and told.
  func text(_ findings: inout [FileFinding]) -> String {
    if let text = String(validating: value, as: UTF8.self) { return text }
    findings.append(finding(.malformed("is no UTF-8")))
    return String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
  }
}
