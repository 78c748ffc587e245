import TesseraCore
import TesseraCryptography
import TesseraPassport
import TesseraVerification

/// Access control, algorithms, transport, and the files that were not read.
struct TechnicalData {
  @Indirect var report: Report
  @Indirect var dump: DocumentDump

  var html: HTML {
    .element(
      "section", [.class("facts")],
      [
        .element("h2", [], "Access and algorithms"), access.html([.class("rows")]),
        .element("h2", [], "Transport"), transport.html([.class("rows")]),
        omissions,
      ])
  }

  private var access: FieldList {
    var list = FieldList()
    let access = report.accessControl
    if report.statesTransport {
      list.add("Access", [access.protocol, access.mapping, access.cipher].compactMap { $0 }.joined(separator: ", "))
    }
    list.add("Protocol", access.oid)
    list.add("Parameters", access.parameterId.map { "standardized set \($0)" })
    list.add("Reason", access.reason, limit: 200)
    if let object = try? dump.securityObject().securityObject {
      list.add("Digests", object.hashAlgorithm.rawValue)
      list.add("LDS version", object.ldsVersion, limit: 12)
    }
    list.add("Signer", report.chain.first.map { "\($0.key), \($0.signatureAlgorithm)" }, limit: 80)
    return list
  }

  private var transport: FieldList {
    let transport = report.transport
    var list = FieldList()
    list.add("Reader", transport.reader, limit: 80)
    guard transport.exchanges > 0 else {
      list.add("Read", "from stored files")
      return list
    }
    list.add("Exchanges", "\(transport.exchanges)")
    list.add("Bytes", "\(transport.bytesSent) sent, \(transport.bytesReceived) received")
    list.add("Time", "\(transport.milliseconds) ms\(rate)")
    return list
  }

  private var omissions: HTML {
    var list = FieldList()
    for omission in report.omissions.prefix(FileTable.maximumRows) {
      list.add(omission.name, omission.reason, limit: 120)
    }
    return list.isEmpty
      ? .nothing : .group([.element("h2", [], "Files not read"), list.html([.class("rows")])])
  }

  /// Kilobytes per second in both directions.
  private var rate: String {
    let transport = report.transport
    let (bytes, overflow) = transport.bytesSent.addingReportingOverflow(transport.bytesReceived)
    guard transport.milliseconds > 0, !overflow, bytes >= 0 else { return "" }
    return " (\(bytes / transport.milliseconds) kB/s)"
  }
}

/// The files as read, with their digests.
struct FileTable {
  let report: Report

  /// More than any document has: sixteen data groups and six other files.
  static let maximumRows = 24

  var html: HTML {
    .element(
      "section", [.class("files")],
      [
        .element("h2", [], "Files"),
        .element("table", [], [head, .element("tbody", [], report.files.prefix(Self.maximumRows).map(Self.row))]),
      ])
  }

  private var head: HTML {
    let names = ["File", "Bytes", "SHA-256", "Digest in EF.SOD"]
    return .element(
      "thead", [], [.element("tr", [], names.map { .element("th", [.fixed("scope", "col")], $0) })])
  }

  private static func row(_ file: Report.File) -> HTML {
    .element(
      "tr", [],
      [
        .element("th", [.fixed("scope", "row")], file.name), .element("td", [.class("number")], "\(file.bytes)"),
        .element("td", [.title(file.sha256)], [.element("code", [], file.sha256.prefix(16) + "…")]),
        digest(file.digest),
      ])
  }

  /// The three states of `Report.File.digest`; EF.SOD has no digests of other files than data groups.
  private static func digest(_ state: String?) -> HTML {
    let cell: (status: Check.Status, word: String) =
      switch state {
      case "matches": (.passed, "matches")
      case "differs": (.failed, "differs")
      case "notCovered": (.failed, "not covered")
      default: (.skipped, "not listed")
      }
    return .element("td", [cell.status.colour], [.element("b", [], cell.status.symbol), .text(" \(cell.word)")])
  }
}
