package import TesseraCore

/// A file of mode 0644 that another program of the machine reads, in a folder that exists. Its content is replaced
/// atomically and not synchronised to the disk: it is soon replaced again, and worth nothing after the machine has stopped.
/// Its calls block.
package struct PublishedFile: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  private var folder: PrivateFolder { PrivateFolder(ofFile: path) }

  /// Replaces the content, or a symbolic link of this name.
  ///
  /// - Throws: `Failure.unwritable`. Then the file has the old content.
  package func write(_ content: [UInt8]) throws(Failure) {
    do {
      try content.withUnsafeBytes { try StagedFile(published: $0, at: path, in: folder) }.replace()
    } catch {
      if let error = error as? FolderError { throw Failure.unwritable(path, error) }
      throw Failure(error)
    }
  }

  /// Removes what killed processes left beside the file.
  package func removeLeftovers() { folder.removeLeftovers() }
}
