import FoundationEssentials
import Glibc
package import Tessera
internal import TesseraDurableFiles
import TesseraHTTPClient

/// The files and addresses of trust material that a command names.
package enum TrustFiles {
  /// No published file is larger: the whole PKD has some 100 MB.
  package static let maximumSize = 256 << 20

  /// - Parameter place: a path, `-` for standard input, or an `https://` address.
  package static func read(_ place: String) async throws -> [UInt8] {
    guard isAddress(place) else { return try InputFile(path: place).read(upTo: maximumSize) }
    let line = ProgressLine()
    defer { line.clear() }
    return try await Interruption.cancelling {
      var request = HTTPRequest(try HTTPSAddress(place), sizeLimit: maximumSize)
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
    var files: [TrustFileContent] = []
    for place in places {
      let members = try expanded(place)
      for member in members {
        do {
          files.append(try TrustFileContent(try await read(member), name: name(member)))
        } catch is TrustSourceError where members != [place] {
          continue  // a readme in a folder
        }
      }
    }
    guard !files.isEmpty else {
      throw Failure(
        .usage, "\(places.joined(separator: ", ")) contains no certificate and no list.",
        remedy: "Specify a master list, a certificate, or a folder with them.")
    }
    var trust = TrustImport(to: TrustMaterial(), trustsFiles: true)
    _ = try trust.add(files)
    return trust.material
  }

  /// The files in a folder and in those inside it, without hidden ones.
  private static func expanded(_ place: String) throws -> [String] {
    var status = stat()
    guard !isAddress(place), stat(place, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return [place] }
    var files: [String] = []
    try add(filesOf: place, depth: 0, to: &files)
    guard !files.isEmpty else {
      throw Failure(.usage, "The folder \(place) is empty.", remedy: "Specify a folder with certificates.")
    }
    return files
  }

  private static let maximumDepth = 8
  private static let maximumFiles = 10_000

  /// Adds the files in a folder and in the folders inside; links to folders are not followed. A pipe in it would never end.
  private static func add(filesOf folder: String, depth: Int, to files: inout [String]) throws {
    // Whoever can change it decides which documents are genuine.
    guard !Ownership(of: folder).isOpenToOthers else { throw TrustError.openToOthers("The folder \(folder)") }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }.sorted()
    for path in names.map({ "\(folder)/\($0)" }) {
      var status = stat()
      if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        if depth < maximumDepth { try add(filesOf: path, depth: depth + 1, to: &files) }
        continue
      }
      // A link that leads nowhere is an error when it is read.
      guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else { continue }
      guard !Ownership(of: path).isOpenToOthers else { throw TrustError.openToOthers("The file \(path)") }
      guard files.count < maximumFiles else {
        throw Failure(
          .usage, "There are more than \(maximumFiles) files in the folder.",
          remedy: "Specify a folder with nothing but certificates and lists.")
      }
      files.append(path)
    }
  }
}
