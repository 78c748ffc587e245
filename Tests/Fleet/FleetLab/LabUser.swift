internal import TesseraFleet
package import TesseraNATS
internal import TestSupport

/// A user of a server: a new NKEY whose seed is in a file.
package final class LabUser: Sendable {
  package let publicKey: String
  package let seedFile: String
  private let folder: TemporaryFolder

  package init() throws {
    folder = try TemporaryFolder()
    seedFile = folder.file("seed.nk")
    let key = try NKey()
    publicKey = key.publicKey.text
    _ = try NKeyFile(path: seedFile).create(key)
  }

  package var credentials: NATSCredentials { .seed(file: seedFile, publicKey: publicKey) }
}
