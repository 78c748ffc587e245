/// The overall result of all checks of a document.
public enum Outcome: String, Sendable, Codable {
  /// The data are complete and signed by the issuing country, and the chip is the original if the document offers a
  /// proof of that.
  case genuine
  /// A check of the data, of a signature or of the chip failed.
  case notGenuine
  /// Nothing speaks against the document, but something that a proof requires is missing.
  case notEstablished
}
