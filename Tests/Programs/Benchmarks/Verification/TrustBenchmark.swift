import Foundation
import Tessera
import TesseraThreads

/// The German master list of May 2026, 588 certificates: reading it, importing it, and loading it from the trust store.
enum TrustBenchmark {
  private static let lists = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../Passport/Specimens/masterlist").standardizedFileURL

  static func run(_ folder: String) throws -> [Measurement] {
    let bytes = Array(try Data(contentsOf: lists.appendingPathComponent("DE_ML_2026-05-28-08-28-45.ml")))
    let root = try Certificate(
      der: Array(try Data(contentsOf: lists.appendingPathComponent("DE_ROOT_CA_CSCA07.cer"))))
    return try [reading(bytes)] + importing(bytes, root) + [loading(folder, bytes, root)]
  }

  private static func reading(_ bytes: [UInt8]) throws -> Measurement {
    var alone = OpenSSLSignatures()
    try alone.add(SignedData(bytes))
    let times = try ProcessorTime.medians(
      runs: 51, { guard try MasterList(bytes).certificates.count == 588 else { throw OpenSSLFailed() } },
      floor: alone.run)
    return Measurement(
      "master list: parse and list signature", times.ours, .milliseconds, floor: times.floor, of: "OpenSSL alone",
      goal: 5)
  }

  private static func imported(_ bytes: [UInt8], _ root: Certificate) throws -> TrustMaterial {
    var trust = TrustImport(to: TrustMaterial(), roots: [root])
    _ = try trust.add(TrustFileContent(bytes, name: "list"))
    return trust.material
  }

  /// The import as a whole, which verifies every certificate with its issuer's key.
  private static func importing(_ bytes: [UInt8], _ root: Certificate) throws -> [Measurement] {
    let material = try imported(bytes, root)
    var alone = OpenSSLSignatures()
    for signer in material.countrySigners {
      switch signer.status {
      case .selfSigned: try alone.add(signer.certificate, signedBy: signer.certificate.publicKey)
      case .linked(let issuer):
        guard let key = try material.countrySigner(fingerprint: issuer)?.certificate.publicKey else { continue }
        try alone.add(signer.certificate, signedBy: key)
      case .endorsed: continue
      }
    }
    var times = (ours: [Spent](), floor: [Spent]())
    for _ in 0..<9 {
      times.ours.append(try Spent { _ = try imported(bytes, root) })
      times.floor.append(
        Spent { _ = Array(0..<alone.count).concurrentMap { [alone] in (try? alone.verify($0)) != nil } })
    }
    let name = "master list: every certificate against its issuer"
    func median(_ times: [Spent], _ part: KeyPath<Spent, Double>) -> Double {
      times.map { $0[keyPath: part] }.sorted()[times.count / 2]
    }
    let floorName = "OpenSSL alone, \(alone.count) signatures"
    return [
      Measurement(
        "\(name), elapsed", median(times.ours, \.elapsed), .milliseconds, floor: median(times.floor, \.elapsed),
        of: floorName, goal: 150),
      Measurement(
        "\(name), computing", median(times.ours, \.computing), .milliseconds,
        floor: median(times.floor, \.computing), of: floorName),
    ]
  }

  private static func loading(_ folder: String, _ bytes: [UInt8], _ root: Certificate) throws -> Measurement {
    let store = TrustStore(folder: folder + "/trust")
    let material = try imported(bytes, root)
    try store.update { $0 = material }
    var alone = OpenSSLSignatures()
    alone.add(Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/trust/certificates"))), .sha256)
    let times = try ProcessorTime.medians(
      runs: 51, { guard try store.load().count == material.count else { throw OpenSSLFailed() } }, floor: alone.run)
    return Measurement(
      "trust store: load \(material.count) certificates", times.ours, .milliseconds, floor: times.floor,
      of: "its SHA-256")
  }
}

/// The time of a computation on all cores, in milliseconds.
struct Spent {
  let elapsed: Double
  /// Of all threads of the process.
  let computing: Double

  init(_ body: () throws -> Void) rethrows {
    let (start, before) = (ContinuousClock.now, ProcessorTime.ofProcess)
    try body()
    elapsed = (ContinuousClock.now - start) / .milliseconds(1)
    computing = Double(ProcessorTime.ofProcess - before) / 1_000_000
  }
}
