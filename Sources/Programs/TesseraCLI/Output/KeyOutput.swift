import FoundationEssentials
import Tessera
import TesseraCommandLine

/// Keys as text and as JSON.
enum KeyOutput {
  /// Prints a new key.
  static func show(_ key: StoredKey, asJSON: Bool) throws {
    if asJSON {
      try StandardOutput.write(try object(key).text)
    } else {
      try StandardOutput.write(
        "\(Terminal.printable(key.name.name)): P-256 key in \(key.store), \(key.protection.words), "
          + "fingerprint \(try fingerprint(key) ?? "unknown")")
    }
    if key.protection == .unprotected {
      Note.write("Warning: The key is not encrypted. Anyone who can read its file can sign as you.")
    }
  }

  static func object(_ key: StoredKey) throws -> JSONValue {
    [
      "name": .string(key.name.name), "origin": .string(key.name.owner.ownerName), "store": .string(key.store),
      "protection": .string(key.protection.rawValue), "confirm": .string(key.confirmation.rawValue),
      "created": key.created.map { .string(Timestamp($0).text) } ?? nil,
      "fingerprint": try fingerprint(key).map { .string($0) } ?? nil,
      "publicKey": (try? key.publicKey).map { .string(Data($0.subjectPublicKeyInfo).base64EncodedString()) } ?? nil,
    ]
  }

  /// - Returns: nil if the token holds only the private key.
  private static func fingerprint(_ key: StoredKey) throws -> String? {
    try (try? key.publicKey)?.fingerprint.hexadecimal.lowercased()
  }

  static func policy(_ name: KeyName, _ policy: ConfirmationPolicy) -> JSONValue {
    ["name": .string(name.name), "origin": .string(name.owner.ownerName), "confirm": .string(policy.rawValue)]
  }

  /// A table with aligned columns. Omits the origin if all keys are local, and the policy if no key needs a
  /// confirmation.
  ///
  /// - Parameters:
  ///   - keys: the rows with a key.
  ///   - policies: those of names without a key.
  static func table(_ keys: [StoredKey], policies: [(name: KeyName, policy: ConfirmationPolicy)] = []) throws -> String
  {
    var rows = [["NAME", "ORIGIN", "STORE", "PROTECTION", "CONFIRM", "CREATED", "FINGERPRINT"]]
    rows += try keys.map { key in
      [
        Terminal.printable(key.name.name), Terminal.printable(key.name.owner.ownerName), key.store,
        key.protection.rawValue, key.confirmation.rawValue, key.created.map { Timestamp($0).text } ?? "-",
        try fingerprint(key) ?? "-",
      ]
    }
    rows += policies.map { name, policy in
      [Terminal.printable(name.name), Terminal.printable(name.owner.ownerName), "-", "-", policy.rawValue, "-", "-"]
    }
    var columns = Array(rows[0].indices)
    if keys.allSatisfy({ $0.name.owner == .local }), policies.isEmpty { columns.removeAll { $0 == 1 } }
    if keys.allSatisfy({ $0.confirmation == .never }), policies.isEmpty { columns.removeAll { $0 == 4 } }
    let widths = rows[0].indices.map { column in rows.map(\.[column].count).max() ?? 0 }
    return rows.map { row in
      columns.map { column in
        column == columns.last
          ? row[column] : row[column].padded(to: widths[column])
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }
}
