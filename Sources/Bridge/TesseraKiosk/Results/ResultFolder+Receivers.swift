import Glibc
internal import TesseraCore
internal import TesseraCryptography
internal import TesseraDurableFiles

// Results were promised to the address for which they were signed. When the operator changes it, what waits for the former
// one is not sent to the new one: it is set aside, in a folder inside this one, until the kiosk has that address again.

extension ResultFolder {
  /// Results that wait for another address than this folder's.
  package struct Others: Sendable, Equatable {
    let address: String
    let count: Int
    /// Where they are set aside, or will be.
    let folder: String
    /// Where they would have to be for the present address.
    let outbox: String
  }

  /// How the names of these folders begin.
  private static let beginning = "for-"

  private func folder(for address: String) throws -> ResultFolder {
    let digest = try HashAlgorithm.sha256.digest(of: Array(address.utf8))
    let name = "\(Self.beginning)\(digest.prefix(8).hexadecimal.lowercased())"
    return ResultFolder(path: "\(path)/\(name)", address: address)
  }

  /// The address that a result waits for, if it is not this folder's.
  func otherReceiver(of name: String) throws -> String? {
    guard let address, let receiver = try receiver(of: name), receiver != address else { return nil }
    return receiver
  }

  /// Moves a result into the folder of its address.
  func setAside(_ name: String, for address: String) throws { try move(name, to: try folder(for: address)) }

  /// Brings back what was set aside while there was another address. Only for the owner of the folder.
  func takeBack() throws {
    guard let address else { return }
    let apart = try folder(for: address)
    let names = try apart.names()
    guard !names.isEmpty else { return }
    // One that cannot be moved keeps none of the others back.
    var failure: (any Error)?
    for name in names {
      do { try apart.move(name, to: self) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
    try apart.removeLeftovers()
    // Stays if it has something else.
    rmdir(apart.path)
  }

  /// How many results wait for this address, and how many for others, before they are sorted out as well as afterwards.
  package func counts() throws -> (own: Int, others: Int) {
    let names = try names()
    var others = names.count { ((try? otherReceiver(of: $0)) ?? nil) != nil }
    var own = names.count - others
    let ownFolder = try address.map { try folder(for: $0).path }
    for name in try PrivateFolder(path: path).names() where name.hasPrefix(Self.beginning) {
      let apart = ResultFolder(path: "\(path)/\(name)")
      let count = (try? apart.names().count) ?? 0
      if apart.path == ownFolder { own += count } else { others += count }
    }
    return (own, others)
  }

  /// What waits for other addresses, by their order. What cannot be read is left out.
  func others() throws -> [Others] {
    guard let address else { return [] }
    var counts: [String: Int] = [:]
    for name in try names() {
      if let other = try? otherReceiver(of: name) { counts[other, default: 0] += 1 }
    }
    for name in try PrivateFolder(path: path).names() where name.hasPrefix(Self.beginning) {
      let apart = ResultFolder(path: "\(path)/\(name)")
      guard let names = try? apart.names(),
        // Some have none, for example after they were restored.
        let other = names.lazy.compactMap({ (try? apart.receiver(of: $0)) ?? nil }).first, other != address
      else { continue }
      counts[other, default: 0] += names.count
    }
    return try counts.sorted { $0.key < $1.key }.map { other, count in
      Others(address: other, count: count, folder: try folder(for: other).path, outbox: path)
    }
  }
}
