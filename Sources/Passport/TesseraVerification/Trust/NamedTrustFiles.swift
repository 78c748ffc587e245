import Glibc
import TesseraCore
import TesseraDurableFiles

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Files and folders that the user names for one verification, and so vouches for.
package struct NamedTrustFiles {
  /// The size of the largest file in bytes. No published file is larger: the whole PKD has some 100 MB.
  package static let maximumSize = 256 << 20
  private static let maximumDepth = 8
  private static let maximumFiles = 10_000

  private var contents: [TrustFileContent] = []

  package init() {}

  /// The files in a folder and in those inside it, without hidden ones; or the path itself if it is no folder.
  package static func files(at path: String) throws -> [String] {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return [path] }
    var files: [String] = []
    try add(filesOf: path, depth: 0, to: &files)
    guard !files.isEmpty else {
      throw Failure(.usage, "The folder \(path) is empty.", remedy: "Specify a folder with certificates.")
    }
    return files
  }

  /// Adds the files in a folder and in the folders inside; links to folders are not followed. A pipe would never end.
  private static func add(filesOf folder: String, depth: Int, to files: inout [String]) throws {
    // Whoever can change it decides which documents are genuine.
    guard !Ownership(of: folder).isOpenToOthers else { throw TrustError.openToOthers("The folder \(folder)") }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      throw Failure.unreadable(folder, isFolder: true)
    }
    for path in names.filter({ !$0.hasPrefix(".") }).sorted().map({ "\(folder)/\($0)" }) {
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

  /// Adds the content of a file.
  ///
  /// - Parameter isInFolder: whether the user named its folder only. Then it may be a readme, which is left out.
  /// - Throws: as `TrustFileContent`.
  package mutating func add(_ bytes: [UInt8], name: String, isInFolder: Bool) throws {
    do {
      contents.append(try TrustFileContent(bytes, name: name))
    } catch is TrustSourceError where isInFolder {}
  }

  /// What the files contain.
  ///
  /// - Parameter places: as the user named them, for the error if there is nothing.
  /// - Throws: `Failure` of the kind `usage`; as `TrustImport.add`.
  package func material(of places: [String]) throws -> TrustMaterial {
    guard !contents.isEmpty else {
      throw Failure(
        .usage, "\(places.joined(separator: ", ")) contains no certificate and no list.",
        remedy: "Specify a master list, a certificate, or a folder with them.")
    }
    var trust = TrustImport(to: TrustMaterial(), trustsFiles: true)
    _ = try trust.add(contents)
    return trust.material
  }
}

extension TrustMaterial {
  /// What the files at these paths contain, for verifications of this program only: what the user imported does not
  /// count, and nothing is imported. `--trust PATH` of the commands has the same rules, and also takes addresses.
  ///
  /// By naming a file the caller vouches for the certificates in it. A list need not lead to a root, but its signature
  /// is verified. The initializer blocks.
  ///
  /// - Parameter paths: of files that `TrustFileContent` recognises, at most 256 MB each, and of folders. Of a folder,
  ///   the regular files in it and in the folders inside it count, at most 10,000; those of another format are left
  ///   out. Without paths, nothing is known of countries.
  /// - Throws: `TrustSourceError` if a named file has no known format; `TrustError` if nothing in a file is accepted,
  ///   `.openToOthers` if another user owns a folder or a file in it, or can write to it; `Failure` of the kind `usage`
  ///   if a path cannot be read, or there is nothing in a folder.
  public init(paths: [String]) throws {
    self.init()
    guard !paths.isEmpty else { return }
    var files = NamedTrustFiles()
    for path in paths {
      for file in try NamedTrustFiles.files(at: path) {
        let name = URL(fileURLWithPath: file).lastPathComponent
        try files.add(try Self.bytes(of: file, name), name: name, isInFolder: file != path)
      }
    }
    self = try files.material(of: paths)
  }

  private static func bytes(of path: String, _ name: String) throws -> [UInt8] {
    guard let file = DurableFile(following: path), let size = try? file.identity()?.size else {
      throw Failure.unreadable(path)
    }
    guard size <= NamedTrustFiles.maximumSize else {
      throw TrustSourceError(name, .tooLarge(limit: NamedTrustFiles.maximumSize))
    }
    guard let bytes = try? file.bytes(upTo: NamedTrustFiles.maximumSize) else { throw Failure.unreadable(path) }
    return bytes
  }
}
