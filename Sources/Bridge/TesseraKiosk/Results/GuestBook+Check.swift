package import TesseraCore

extension GuestBook.Settings {
  /// The folder that results are written into.
  private var folder: ResultFolder? {
    switch destination?.0 {
    case nil: nil
    case .folder(let path): ResultFolder(path: path)
    case .server(let address, let path): ResultFolder(path: path, address: address.text)
    }
  }

  /// For a check before a kiosk is started.
  ///
  /// - Throws: `Failure` of the kind `usage` if results can never be written to their place. One that runs waits for it as for
  ///   a full disk.
  package func requirePlace() throws(Failure) { try folder?.requirePlace() }

  /// What the log of a kiosk with these settings says at its start of results that are not its own: sentences. Blocks.
  package func resultsOfOthers() -> [String] {
    let apart = ((try? folder?.others()) ?? nil) ?? []
    let unsigned = spool.isEmpty ? [] : ResultSpool(folders: spool).elsewhere()
    return apart.map(\.sentence) + unsigned.map(\.sentence)
  }
}
