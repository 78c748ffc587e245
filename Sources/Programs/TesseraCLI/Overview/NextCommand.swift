import Tessera

/// The one command that will work on this machine.
struct NextCommand: Sendable, Equatable {
  let command: String
  /// Why this one, and what to do before it.
  let reason: String

  private init(_ command: String, _ reason: String) {
    self.command = command
    self.reason = reason
  }

  /// - Parameters:
  ///   - readers: what is on each reader.
  ///   - findings: those of the doctor.
  init(readers: [ReaderState.Use], findings: [Finding]) {
    let read = "tessera passport read"
    guard readers.count(where: { $0 == .document }) < 2 else {
      self.init("tessera readers", "Several documents are on readers. Choose one with --reader:")
      return
    }
    if readers.contains(.document) {
      self.init(read, "Read the document that is on the reader:")
      return
    }
    if readers.contains(.free) {
      self.init(read, "Put a passport or an identity card on the reader, and read it:")
      return
    }
    let demo = "Read the built-in specimen passport:"
    // The doctor sees a reader on the USB that no service lists.
    let nothing = ["reader.none", "reader.unknown"]
    let hasReader = !readers.isEmpty || findings.contains { $0.part == "reader" && !nothing.contains($0.id) }
    guard hasReader else {
      self.init("tessera demo", "No reader is connected. \(demo)")
      return
    }
    let obstacles = findings.filter { $0.status == .problem && ["reader", "pcsc"].contains($0.part) }
    if obstacles.contains(where: { $0.correction != nil }) {
      self.init("tessera setup", "A reader is connected and does not work yet. This asks before each step:")
    } else if obstacles.isEmpty, !readers.isEmpty, readers.allSatisfy({ $0 == .contact }) {
      self.init("tessera demo", "No contactless reader is connected. \(demo)")
    } else if readers.isEmpty, findings.contains(where: { ["pcsc.silent", "reader.silent"].contains($0.id) }) {
      self.init("tessera doctor", "The readers do not answer. This says why:")
    } else if obstacles.isEmpty, readers.isEmpty {
      self.init(read, "Put a passport or an identity card on the reader, and read it:")
    } else {
      self.init("tessera doctor", "A reader is connected and cannot be used. This says why:")
    }
  }
}

/// A reader for a user who has not read anything yet.
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
