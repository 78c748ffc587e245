import FoundationEssentials
package import Tessera
import TesseraHTTPClient

/// The files and addresses of trust material that a command names.
package enum TrustFiles {
  /// - Parameter place: a path, `-` for standard input, or an `https://` address.
  package static func read(_ place: String) async throws -> [UInt8] {
    guard isAddress(place) else { return try InputFile(path: place).read(upTo: NamedTrustFiles.maximumSize) }
    let line = ProgressLine()
    defer { line.clear() }
    return try await Interruption.cancelling {
      var request = HTTPRequest(try HTTPSAddress(place), sizeLimit: NamedTrustFiles.maximumSize)
      request.progress = { received, total in
        let size = total.map { " of \($0 >> 10)" } ?? ""
        line.show("Downloading: \(received >> 10)\(size) KiB")
      }
      return try await HTTPSClient().body(of: request)
    }
  }

  /// What provenance shows: the name of a file without its folder, or the address.
  package static func name(_ place: String) -> String {
    isAddress(place) ? place : URL(fileURLWithPath: place).lastPathComponent
  }

  package static func isAddress(_ place: String) -> Bool { place.contains("://") }

  /// The certificates of `--trust`: files, and folders with files.
  ///
  /// - Returns: nil without `--trust`.
  package static func material(_ places: [String]) async throws -> TrustMaterial? {
    guard !places.isEmpty else { return nil }
    var files = NamedTrustFiles()
    for place in places {
      let members = try isAddress(place) ? [place] : NamedTrustFiles.files(at: place)
      for member in members {
        try files.add(try await read(member), name: name(member), isInFolder: member != place)
      }
    }
    return try files.material(of: places)
  }
}
