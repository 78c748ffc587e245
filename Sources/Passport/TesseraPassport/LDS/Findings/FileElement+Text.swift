extension FileElement {
  /// UTF-8 text. Some issuers wrote ISO/IEC 8859-1 before Doc 9303 specified UTF-8; such text is decoded and reported
  /// as a finding.
  func text(_ findings: inout [FileFinding]) -> String {
    if let text = String(validating: value, as: UTF8.self) { return text }
    findings.append(finding(.malformed("is not UTF-8")))
    return String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
  }
}
