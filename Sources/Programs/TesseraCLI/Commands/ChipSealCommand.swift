import ArgumentParser
import FoundationEssentials
import Tessera
import TesseraBarcodes
import TesseraCommandLine

extension ChipCommand {
  struct Seal: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "seal",
      abstract: "Makes a seal of the test country, to test a reader with.",
      discussion: """
        Without a kind, lists the kinds. With one, writes the content of the barcode, which is binary for most kinds, or \
        with --png a picture of it. The kind dtc is a file, which no barcode carries.

        Holder and issuer are fictitious. The keys of the test country are public: a seal of it proves nothing, and no \
        inspection should trust its certificates.

        Examples:
          tessera chip seal
          tessera chip seal etd --png etd.png
          tessera seal verify --virtual etd.png
          tessera chip seal dtc -o copy.dtc
          tessera passport verify --virtual copy.dtc
          tessera chip seal etd -o etd.bin --certificates utopia
          tessera seal verify --trust utopia etd.bin
        """)

    @Argument(
      help: ArgumentHelp("What to make.", valueName: "kind"), completion: .list(SpecimenSealKind.all.map(\.name)))
    var kind: String?

    @Option(
      name: .shortAndLong,
      help: ArgumentHelp("Write the content to this file (`-`: standard output, also a terminal).", valueName: "file"),
      completion: .file())
    var output: String?

    @Option(
      help: ArgumentHelp("Write a picture of the barcode to this file (`-`: standard output).", valueName: "file"),
      completion: .file())
    var png: String?

    @Option(
      help: ArgumentHelp(
        "With --png: DataMatrix, QRCode, Aztec or PDF417 (default: what documents of the kind have).", valueName: "name"
      ),
      completion: .list(Barcode.Format.allCases.map(\.rawValue)))
    var symbol: String?

    @Option(help: ArgumentHelp("With --png: the side of a module.", valueName: "pixels"))
    var moduleSize: Int?

    @Option(
      help: ArgumentHelp(
        "Write the certificates of the country and of its signers, and the revocation list, to this folder.",
        valueName: "dir"), completion: .directory)
    var certificates: String?

    @Flag(help: "Print the list of kinds as one JSON object.")
    var json = false

    func validate() throws {
      if json, kind != nil || certificates != nil {
        throw ValidationError("--json lists the kinds. Specify neither a kind nor --certificates.")
      }
      if kind == nil, output != nil || png != nil { throw ValidationError("Name the kind of seal to write.") }
      if png == nil, symbol != nil || moduleSize != nil {
        throw ValidationError("--symbol and --module-size require --png.")
      }
      if png == "-", output == "-" { throw ValidationError("Standard output can have one of --output and --png.") }
      try DistinctFiles.validate(
        outputs: [("--output", output), ("--png", png)] + certificateFiles.map { ("--certificates", $0) })
      if let moduleSize, !BarcodeWriter.moduleSizes.contains(moduleSize) {
        let sizes = BarcodeWriter.moduleSizes
        throw ValidationError("--module-size must be \(sizes.lowerBound) to \(sizes.upperBound) pixels.")
      }
      if let symbol, Self.format(named: symbol) == nil {
        throw ValidationError(
          "--symbol must be \(Alternatives.text(Barcode.Format.allCases.map(\.rawValue))).")
      }
    }

    func run() throws {
      if kind == nil, certificates == nil { return try list() }
      let chosen = try kind.map(Self.kind)
      // Before anything is written.
      let format = try chosen.flatMap(format)
      if let chosen, png == nil, chosen.isBinary {
        try OutputFile.checkNoTerminal(output, remedy: "Use -o FILE, or --png FILE for a picture.")
      }
      let issuer = try SealIssuer()
      if let certificates { try Self.write(issuer.country, to: certificates) }
      guard let chosen else { return }
      let seal = try issuer.seal(chosen)
      if let png, let format {
        let picture = try BarcodeWriter(format).write(seal.bytes, moduleSize: moduleSize ?? Self.usualModuleSize)
        try Self.write(picture.png(), to: png, .png)
      }
      if png == nil || output != nil { try Self.write(seal.bytes, to: output ?? "-") }
      if let output, WrittenFormat.isPicture(output) {
        Note.write("\(output) has the content of the barcode. For a picture of it, use --png FILE.")
      }
    }

    /// Half a millimetre, as on documents, at 300 dots per inch.
    private static let usualModuleSize = 6

    private static func kind(named name: String) throws -> SpecimenSealKind {
      guard let kind = SpecimenSealKind(named: name) else {
        let near = NearNames.orLonger(name, in: SpecimenSealKind.all.map(\.name))
        throw Failure(
          .usage, "No kind of seal has that name.\(NearNames.question(near))",
          remedy: "Run `tessera chip seal` to list the kinds.")
      }
      return kind
    }

    private static func format(named name: String) -> Barcode.Format? {
      Barcode.Format.allCases.first { $0.rawValue.lowercased() == name.lowercased() }
    }

    /// nil if no picture is wanted.
    private func format(_ kind: SpecimenSealKind) throws -> Barcode.Format? {
      guard png != nil else { return nil }
      guard let usual = kind.symbol.flatMap({ Barcode.Format(rawValue: $0.rawValue) }) else {
        throw Failure(.usage, "No barcode carries the kind \(kind.name).", remedy: "Use -o FILE.")
      }
      return symbol.flatMap(Self.format) ?? usual
    }

    private static func write(_ bytes: [UInt8], to path: String, _ format: WrittenFormat? = nil) throws {
      let file = try OutputFile(path)
      try file.write(bytes)
      try file.finish(format)
    }

    private static let certificateNames = ["UT-csca.cer", "UT-barcode-signer.cer", "UT-vds-nc-signer.cer"]
    private static let revocationListName = "UT.crl"

    /// The folder of `--certificates`, and what is written there.
    private var certificateFiles: [String] {
      guard let certificates else { return [] }
      return [certificates] + (Self.certificateNames + [Self.revocationListName]).map { "\(certificates)/\($0)" }
    }

    private static func write(_ country: TestCountry, to folder: String) throws {
      try PrivateFile.prepareFolder(folder)
      let url = URL(fileURLWithPath: folder, isDirectory: true)
      let files = zip(certificateNames, (country.countrySigners + country.sealSigners).map(\.der))
      for (name, bytes) in files + country.revocationLists.map({ (revocationListName, $0) }) {
        try PrivateFile.write(bytes, to: url.appendingPathComponent(name))
      }
      OutputFile.tell(folder)
    }

    // MARK: - List

    private func list() throws {
      if json {
        let kinds = SpecimenSealKind.all.map { kind -> JSONValue in
          [
            "name": .string(kind.name), "summary": .string(kind.summary),
            "symbol": kind.symbol.map { .string($0.rawValue) } ?? .null,
          ]
        }
        return try StandardOutput.write(JSONValue.object(["kinds": .array(kinds)]).text)
      }
      func width(_ names: [String]) -> Int { (names.map(\.count).max() ?? 0) + 2 }
      let first = width(SpecimenSealKind.all.map(\.name))
      let second = width(SpecimenSealKind.Symbol.allCases.map(\.rawValue))
      for kind in SpecimenSealKind.all {
        let symbol = kind.symbol?.rawValue ?? "file"
        try StandardOutput.write(kind.name.padded(to: first) + symbol.padded(to: second) + kind.summary)
      }
    }
  }
}
