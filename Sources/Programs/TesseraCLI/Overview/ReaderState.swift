import Tessera

/// A reader for a person who has not read anything yet.
struct ReaderState: Sendable, Equatable {
  enum Use: String, Sendable {
    /// A contactless chip that may be a travel document is on it.
    case document
    /// A card with contacts is in it: it may be a reader without an antenna.
    case contact
    /// Nothing, or another contactless card.
    case free
    /// It cannot be used at the moment.
    case unusable
  }

  let name: String
  let use: Use
  /// The state in one sentence.
  let cause: String

  init(name: String, use: Use, cause: String) {
    self.name = name
    self.use = use
    self.cause = cause
  }

  init(_ reader: CardReader) {
    let (use, cause): (Use, String) =
      switch (reader.error, reader.card) {
      case (let error?, _): (.unusable, error.failure.cause)
      case (nil, _) where reader.isInUse: (.unusable, "Another program uses it.")
      case (nil, let card?) where !card.isContactless: (.contact, "A contact card is in it.")
      case (nil, let card?) where !card.isStorageCard:
        (.document, "A chip is on it, as in a passport or an identity card.")
      case (nil, .some): (.free, "The card in it is no passport or identity card.")
      case (nil, nil): (.free, "It is ready, and no document is on it.")
      }
    self.init(name: reader.name, use: use, cause: cause)
  }

  var finding: Finding {
    Finding(
      use == .unusable ? "reader.unusable" : "reader", use == .unusable ? .problem : .ok, title: "Reader \(name)",
      cause: cause)
  }
}
