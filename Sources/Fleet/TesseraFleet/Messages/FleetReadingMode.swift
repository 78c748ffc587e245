/// How a document is read for an inspector elsewhere.
public enum FleetReadingMode: String, Sendable, Codable, CaseIterable {
  /// The desk reads the chip, the inspector proves and judges it. The desk sees the files.
  case witnessed
  /// The desk relays commands and responses. The inspector has the keys, the files and the verdict.
  case remote
}
