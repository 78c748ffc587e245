package import Tessera

extension TrustImportOptions {
  /// The files and what the addresses lead to, in their order.
  package func contents() async throws -> [TrustFileContent] {
    var contents: [TrustFileContent] = []
    for file in files {
      contents.append(try TrustFileContent(try await TrustFiles.read(file), name: TrustFiles.name(file)))
    }
    return contents
  }
}
