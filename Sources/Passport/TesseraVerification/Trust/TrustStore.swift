import TesseraCryptography
import TesseraDurableFiles

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The country certificates that the user imported, in one file.
///
/// The file is replaced as a whole: a reader, and a process that is killed, sees the old or the new content. Processes
/// that change it wait for one another. Its calls block.
public struct TrustStore: Sendable {
  /// The folder of the file.
  public let folder: String

  /// - Parameter folder: nil for the user's: `$XDG_DATA_HOME/tessera/trust`.
  public init(folder: String? = nil) { self.folder = folder ?? UserFolders.data + "/trust" }

  private var file: DurableFile { DurableFile(path: "\(folder)/certificates") }

  /// The certificates of the whole world and their revocation lists take a few megabytes, the document signers of the
  /// PKD some fifty.
  private static let maximumSize = 512 << 20

  /// Everything that is stored; empty if nothing was imported.
  ///
  /// - Throws: `TrustError.storeDamaged`; `.openToOthers` if another user owns the store or can write to it; a failure of the kind `storageUnavailable` if the file cannot be read.
  public func load() throws -> TrustMaterial { try read(TrustFile.decode) ?? TrustMaterial() }

  /// - Parameter decode: reads the content.
  /// - Returns: nil if nothing was imported.
  /// - Throws: as `load`.
  func read<Content>(_ decode: ([UInt8]) throws -> Content) throws -> Content? {
    guard let content = try file.bytes(upTo: Self.maximumSize) else { return nil }
    // Whoever can change it decides which documents are genuine.
    for path in [folder, file.path] where Ownership(of: path).isOpenToOthers {
      throw TrustError.openToOthers("The store of country certificates, \(path),")
    }
    do {
      return try decode(content)
    } catch {
      throw TrustError.storeDamaged(path: "\(folder)/certificates")
    }
  }

  /// Identifies what is stored: a change is a new file, so an equal identity means equal content.
  package struct Identity: Sendable, Equatable {
    /// nil if nothing was imported.
    fileprivate let file: FileIdentity?
  }

  /// The identity of what is stored, without reading it.
  package func identity() throws -> Identity { Identity(file: try file.identity()) }

  /// Changes what is stored. If `change` throws, nothing is written.
  public func update<Result>(_ change: (inout TrustMaterial) throws -> Result) throws -> Result {
    try FolderLock(folder: folder, timeout: .seconds(30)).withLock {
      PrivateFolder(path: folder).removeLeftovers()
      var material = try load()
      let result = try change(&material)
      let content = try TrustFile.encode(material)
      guard content.count <= Self.maximumSize else { throw TrustError.storeFull }
      _ = try file.write(content, replacing: true)
      return result
    }
  }
}
