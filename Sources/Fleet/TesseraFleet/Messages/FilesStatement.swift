package import TesseraPassport

/// What a desk has read from a chip, with the last part of the files' bytes.
package struct FilesStatement: Codable, Sendable, Equatable {
  package struct File: Codable, Sendable, Equatable {
    /// `EF.SOD`, `DG1`, …
    package var name: String
    package var length: Int

    package init(name: String, length: Int) {
      self.name = name
      self.length = length
    }
  }

  package struct Omission: Codable, Sendable, Equatable {
    package var file: String
    package var cause: DocumentDump.Omission.Cause
    package var reason: String
  }

  package struct PACE: Codable, Sendable, Equatable {
    /// The object identifier, dotted.
    package var protocolIdentifier: String
    package var parameterIdentifier: Int?
    package var reason: String
  }

  /// The number of parts sent before.
  package var parts: Int
  /// In the order of reading, which is the order of their bytes.
  package var files: [File]
  /// The bytes after those of the earlier parts.
  package var data: Base64Bytes
  /// `ChipEvidence`, in the JSON form of a dump.
  package var evidence: String?
  /// `none`, `BAC` or `PACE`.
  package var accessProtocol: String
  package var pace: PACE?
  package var paceOmissionReason: String?
  /// The MRZ information of the access key: document number, date of birth and date of expiry.
  package var mrz: String?
  package var omissions: [Omission]
  package var reader: String
  package var transport: TransportStatement

  /// - Parameters:
  ///   - dump: what was read.
  ///   - reader: the name of the reader.
  ///   - parts: the number of parts sent before.
  ///   - data: the bytes after them.
  package init(
    _ dump: DocumentDump, reader: String, parts: Int, data: [UInt8], _ limits: FleetLimits
  ) throws {
    self.parts = parts
    files = dump.files.map { File(name: $0.file.name, length: $0.bytes.count) }
    self.data = Base64Bytes(data)
    evidence = try dump.evidence.json()
    accessProtocol = dump.accessProtocol.rawValue
    func bounded(_ text: String) -> String { text.prefix(bytes: limits.textSize) }
    pace = dump.pace.map {
      PACE(
        protocolIdentifier: $0.pace.identifier, parameterIdentifier: $0.parameterIdentifier,
        reason: bounded($0.reason))
    }
    paceOmissionReason = dump.paceOmissionReason.map(bounded)
    mrz = dump.givenKey?.text
    omissions = dump.omissions.map { Omission(file: $0.file.name, cause: $0.cause, reason: bounded($0.reason)) }
    self.reader = bounded(reader)
    transport = TransportStatement(dump.statistics, duration: dump.duration)
  }
}

extension String {
  /// The longest beginning of whole characters that has at most this number of bytes.
  func prefix(bytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var count = 0
    return String(
      prefix { character in
        count += character.utf8.count
        return count <= limit
      })
  }
}

/// What a desk states of its exchanges with the chip.
package struct TransportStatement: Codable, Sendable, Equatable {
  package var exchanges: Int
  package var bytesSent: Int
  package var bytesReceived: Int
  /// The duration of the read.
  package var milliseconds: Int

  package init(_ statistics: TransportStatistics, duration: Duration) {
    exchanges = statistics.exchanges
    bytesSent = statistics.bytesSent
    bytesReceived = statistics.bytesReceived
    milliseconds = Int(max(.zero, min(duration, .seconds(86_400))) / .milliseconds(1))
  }

  /// Larger than any number of a read, and small enough to add and convert without an overflow.
  private static let largestNumber = 1 << 40

  /// - Throws: `FleetError` with the code `malformed`.
  package func add(to dump: inout DocumentDump) throws(FleetError) {
    guard [exchanges, bytesSent, bytesReceived, milliseconds].allSatisfy({ (0...Self.largestNumber).contains($0) })
    else { throw FleetError(.malformed) }
    dump.statistics.exchanges = exchanges
    dump.statistics.bytesSent = bytesSent
    dump.statistics.bytesReceived = bytesReceived
    dump.duration = .milliseconds(milliseconds)
  }
}
