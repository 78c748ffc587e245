import ArgumentParser
import Glibc
import Tessera
import TesseraCommandLine

extension KeyCommand {
  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify",
      abstract: "Verifies a signature.",
      discussion: """
        Formats of the signature: DER, raw, base64 or compact JWS. Formats of the public key: PEM, DER, base64, point, \
        JWK, SSH or a certificate. A JWS contains its payload; a specified file must equal it.

        Exit status: 0 the signature is valid, 5 it is not.

        Examples:
          tessera key verify release tessera.tar.sig tessera.tar
          tessera key verify --public release.pem file.sig < file
        """)

    @Argument(
      help: ArgumentHelp("The name of the key (not with --public), the signature file, the signed file."),
      completion: .file())
    var words: [String]
    @Option(
      name: .customLong("public"), help: ArgumentHelp("Use the public key in this file.", valueName: "file"),
      completion: .file())
    var publicKeyFile: String?
    @OptionGroup(title: "Key store") var store: KeyStoreOptions
    @Flag(help: "Print one JSON object.") var json = false

    func validate() throws {
      let count = publicKeyFile == nil ? 2...3 : 1...2
      guard count.contains(words.count) else {
        throw ValidationError(
          publicKeyFile == nil ? "Specify NAME SIGNATURE [FILE]." : "With --public, specify SIGNATURE [FILE].")
      }
    }

    func run() async throws {
      let paths = publicKeyFile == nil ? words.dropFirst() : words[...]
      let signature = InputFile(path: paths.first ?? "")
      let file = paths.dropFirst().first
      // Only a JWS may come without a file; the content of the signature decides that later.
      guard [publicKeyFile, signature.path, file].count(where: { $0 == "-" }) <= 1 else {
        throw Failure(
          .usage, "Standard input can provide only one of the inputs.", remedy: "Specify files for the others.")
      }
      let key = try await publicKey()
      try await Interruption.cancelling { try Self.verify(signature, over: file, by: key) }
      try StandardOutput.write(
        json
          ? (["valid": true, "fingerprint": .string(try key.fingerprint.hexadecimal.lowercased())] as JSONValue).text
          : "The signature is valid.")
    }

    private func publicKey() async throws -> P256PublicKey {
      if let publicKeyFile { return try PublicKeyFormat.decode(try InputFile(path: publicKeyFile).read(upTo: 65_536)) }
      let word = words.first ?? ""
      do {
        let name = try store.name(word)
        let keys = try store.existing()
        return try await Interruption.cancelling { try await keys.key(name).publicKey }
      } catch let error as KeyStoreError where Self.mayMeanFile(error) && access(word, R_OK) == 0 {
        throw Failure(
          error.failure.kind, error.failure.cause,
          remedy: "Use --public \(PrintableText.of(word)) for the public key in this file.")
      }
    }

    private static func mayMeanFile(_ error: KeyStoreError) -> Bool {
      switch error {
      case .notFound, .badName: true
      default: false
      }
    }

    private static func verify(_ signature: InputFile, over file: String?, by key: P256PublicKey) throws {
      // A JWS may be as large as its payload; all others are short.
      var head: [UInt8] = []
      var token: JSONWebSignature.Reader?
      try signature.forEachPiece { piece in
        if token == nil {
          head += piece
          guard head.count > longestSignature else { return }
          head = Handwritten.withoutMark(head)
          guard SignatureFormat.looksLikeJWS(head) else {
            throw SignatureError.malformed("it is longer than a signature can be")
          }
          token = try JSONWebSignature.Reader()
          try token?.read(head)
        } else {
          try token?.read(piece)
        }
      }
      let text = Handwritten.withoutMark(head)
      if token == nil, (try? SignatureFormat.decode(head)) == nil, SignatureFormat.looksLikeJWS(text) {
        token = try JSONWebSignature.Reader()
        try token?.read(text)
      }
      if let parts = try token?.finish() {
        try verify(parts, over: file, by: key)
      } else {
        let parsed = try SignatureFormat.decode(head)
        guard signature.path != "-" || file != nil else {
          throw Failure(
            .usage, "Standard input cannot provide both the signature and the signed file.",
            remedy: "Specify a file for one of them.")
        }
        guard try key.verify(parsed, digest: try digest(of: file ?? "-")) else { throw SignatureError.invalid }
      }
    }

    private static func verify(_ token: JSONWebSignature.Parts, over file: String?, by key: P256PublicKey) throws {
      guard let payload = token.payload else {
        // A detached (RFC 7515, appendix F) or empty payload: the signature covers the encoded file.
        var writer = try JSONWebSignature.Writer(header: token.header)
        if let file { try InputFile(path: file).forEachPiece { _ = try writer.encode($0) } }
        guard try key.verify(token.signature, digest: try writer.finish().digest) else { throw SignatureError.invalid }
        return
      }
      guard try key.verify(token.signature, digest: token.digest) else { throw SignatureError.invalid }
      guard let file else { return }
      guard try digest(of: file) == payload else { throw SignatureError.payloadMismatch }
    }

    private static let longestSignature = 4096

    private static func digest(of path: String) throws -> [UInt8] {
      let digest = try RunningDigest(.sha256)
      try InputFile(path: path).forEachPiece { try digest.update($0) }
      return try digest.finish()
    }
  }
}
