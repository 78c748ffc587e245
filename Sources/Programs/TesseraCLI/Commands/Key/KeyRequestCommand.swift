import ArgumentParser
import Tessera
import TesseraCommandLine

extension KeyCommand {
  struct Request: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "request",
      abstract: "Creates a certificate signing request (PKCS#10).",
      discussion: """
        Examples:
          tessera key request release --subject "CN=Ann,O=Example"
          tessera key request release --subject "/O=Example/CN=Ann"
        """)

    @Argument(help: "The name of the key.", completion: NameCompletion.keys) var name: String
    @Option(help: ArgumentHelp("The distinguished name, in the form of RFC 4514 or of OpenSSL.", valueName: "name"))
    var subject: String
    @OptionGroup(title: "Key store") var store: KeyStoreOptions
    @Option(name: .shortAndLong, help: ArgumentHelp("Write to this file.", valueName: "file"), completion: .file())
    var output: String?

    func run() async throws {
      try DistinctFiles.check(outputs: [output], inputs: [DistinctFiles.keys])
      let name = try store.name(name)
      let keys = try store.existing()
      let subject = subject
      let der = try await Interruption.cancelling {
        let publicKey = try await keys.key(name).publicKey
        let request: CertificationRequest
        do {
          request = try CertificationRequest(subject: subject, publicKey: publicKey)
        } catch let error as CryptographyError {
          throw Failure(.usage, error.failure.cause, remedy: "For example: --subject \"CN=Ann,O=Example,C=UT\"")
        }
        let digest = try HashAlgorithm.sha256.digest(of: request.information)
        return try request.signed(by: try await keys.sign(digest: digest, with: name))
      }
      let file = try OutputFile(output)
      try file.write(Array(PEM.text("CERTIFICATE REQUEST", der).utf8))
      try file.finish(.pem)
    }
  }
}
