import Foundation
import Tessera
import TestSupport
import Testing

extension RealPrograms {
  /// What a user at a shell stumbled over who knew nothing of the program.
  @Suite("The words of a command")
  struct CommandWordsTests {
    private static let proof =
      "The data are complete, unchanged and signed by the test country of Tessera. The document offers no proof that its "
      + "chip is the original."

    @Test("a verdict is followed by what it proves: in the text, in the object and on the page")
    func meaning() async throws {
      let shell = try KeyShell()
      let read = try await shell.run("$T passport read --virtual --out dump; $T passport read --virtual --out other")
      #expect(read.output.hasPrefix("Genuine, by the test country of Tessera.\n\(Self.proof)\n\n"), "\(read.output)")
      for command in ["demo", "passport verify --virtual dump"] {
        let text = try await shell.run("$T \(command)")
        #expect(text.output.split(separator: "\n").dropFirst().first.map(String.init) == Self.proof, "\(text.output)")
        let object = try json(try await shell.run("$T \(command) --json").output)
        #expect(
          object["headline"] == "Genuine, by the test country of Tessera." && object["meaning"] == .string(Self.proof))
      }
      let lines = try await shell.run("$T passport verify --json dump other").output.split(separator: "\n")
      for line in lines {
        #expect(try json(String(line))["meaning"]?.stringValue?.hasPrefix("Nothing speaks against") == true, "\(line)")
      }
      #expect(lines.count == 2)
      let page = try await shell.run("$T passport report --virtual dump")
      #expect(page.output.contains(Self.proof))
      #expect(
        try json(String(decoding: shell.folder.bytes("dump/report.json"), as: UTF8.self))["meaning"]
          == .string(Self.proof))
    }

    @Test(
      "an output that cannot be written: the cause, and one remedy that fits",
      arguments: [
        (
          "passport read --virtual --out face",
          "face cannot be written: it is a file. Specify a folder, or a file whose"
        ),
        (
          "passport read --virtual --out folder.tessera",
          "folder.tessera cannot be written: it is a folder. Specify a file."
        ),
        ("passport read --virtual --out face/x", "face/x cannot be written: a part of its path is not a folder. Check"),
        ("passport read --virtual --portrait folder", "folder cannot be written: it is a folder. Specify a file."),
        ("passport read --virtual --portrait none/x", "none/x cannot be written: its folder does not exist. Create"),
        ("passport read --virtual --portrait /dev/full", "/dev/full cannot be written: no space left on device. Free"),
        ("passport read --virtual --trace folder", "folder cannot be written: it is a folder. Specify a file."),
        ("passport report --virtual dump -o folder", "folder cannot be written: it is a folder. Specify a file."),
        ("passport report --virtual dump -o /dev/full", "/dev/full cannot be written: no space left on device. Free"),
        ("chip terminal face", "face cannot be written: it is a file. Specify a folder.\n"),
        ("chip seal etd --certificates face", "face cannot be written: it is a file. Specify a folder.\n"),
        ("chip seal etd -o none/x", "none/x cannot be written: its folder does not exist. Create"),
        ("key public k -o folder", "folder cannot be written: it is a folder. Specify a file."),
        ("key public k -o none/x", "none/x cannot be written: its folder does not exist. Create"),
        ("key public k -o /dev/full", "/dev/full cannot be written: no space left on device. Free"),
        ("key public k > /dev/full", "The result cannot be written to standard output: no space left on device."),
      ])
    func unwritable(_ command: String, _ message: String) async throws {
      let shell = try KeyShell()
      _ = try await shell.run(
        "mkdir folder folder.tessera; : > face; $T key generate k --unprotected; $T passport read --virtual --out dump")
      let run = try await shell.run("$T \(command)")
      #expect(run.status == 2 && run.errors.contains(message), "\(run.status) \(run.errors)")
      // Nothing that is half written stays.
      #expect(try await shell.run("find folder folder.tessera face -type f -size +0").output.isEmpty)
    }

    @Test("`key verify` with a file in the place of a name: --public is what takes it")
    func publicKeyFile() async throws {
      let shell = try KeyShell()
      let run = try await shell.run(
        "$T key generate k --unprotected; $T key public k -o k.pem; $T key verify k.pem k.pem")
      #expect(
        run.status == 7 && run.errors.contains("Use --public k.pem for the public key in this file."), "\(run.errors)")
      let path = try await shell.run("$T key verify ./k.pem k.pem")
      #expect(path.errors.contains("Use --public ./k.pem"), "\(path.errors)")
      let missing = try await shell.run("$T key verify none k.pem")
      #expect(missing.status == 7 && missing.errors.contains("`tessera key list`"), "\(missing.errors)")
    }

    @Test("a secret without a terminal: the option of this command, and no other")
    func secrets() async throws {
      let shell = try KeyShell()
      let made = try await shell.run("$T key generate k --passphrase")
      #expect(made.status == 7 && made.errors.contains("use --passphrase-fd to read it"), "\(made.errors)")
      #expect(!made.errors.contains("new-passphrase-fd"), "\(made.errors)")
      #expect(made.errors.contains("or --unprotected to store the key without a passphrase."), "\(made.errors)")
      let exported = try await shell.run("$T key generate k --unprotected; $T key export k")
      #expect(
        exported.status == 7 && exported.errors.contains("use --new-passphrase-fd to read it"), "\(exported.errors)")
    }

    @Test(
      "a wrong command line for scripts names the help of this command, unless it says itself what to do",
      arguments: [
        ("passport read --virtual --portrait - --json", "standard output: name a file after --portrait.\n"),
        ("call --virtual nfc.isSupported --json", "taken for its profile; put --virtual last.\n"),
        ("passport read x --json", "Run `tessera passport read --help` for what it takes.\n"),
      ])
    func wrongUse(_ command: String, _ end: String) async throws {
      let run = try await KeyShell().run("$T \(command)")
      #expect(run.status == 2 && run.errors.hasSuffix(end), "\(run.errors)")
      #expect(Sentences(run.errors).remedies == 1, "\(run.errors)")
      #expect(try json(run.output)["error"]?["code"] == "usage", "\(run.output)")
    }

    @Test("a word behind --virtual that is no profile: a folder is for --files, another word for the command")
    func behindVirtual() async throws {
      let shell = try KeyShell()
      for (command, remedy) in [
        ("mkdir dump; $T passport read --virtual ./dump", "Use --files DIR for the elementary files in a folder, or"),
        ("$T passport read --virtual dump", "Use --files DIR for the elementary files in a folder, or put"),
        ("$T passport read --virtual ./none", "and is none. Put --virtual last.\n"),
        ("$T passport read --virtual germany", "Did you mean 'germany-2023'?"),
      ] {
        let run = try await shell.run(command)
        #expect(run.status == 2 && run.errors.contains(remedy), "\(command): \(run.errors)")
      }
    }

    @Test("one file of a dump is told from what is no dump")
    func oneFile() async throws {
      let shell = try KeyShell()
      let run = try await shell.run(
        "$T passport read --virtual --out dump > /dev/null; $T passport verify dump/DG1.bin")
      #expect(run.status == 2 && run.errors.contains("dump/DG1.bin is one file of a dump. Specify its folder, dump."))
      let other = try await shell.run("echo x > x.bin; $T passport verify x.bin")
      #expect(other.errors.contains("x.bin contains no elementary file"), "\(other.errors)")
    }

    @Test("a seal is told from a dump, and a dump from a seal; each names the command")
    func otherKind() async throws {
      let shell = try KeyShell()
      _ = try await shell.run(
        """
        $T passport read --virtual --out dump; $T passport read --virtual --out d.tessera
        $T chip seal etd -o etd.bin --png etd.png; mkdir -p all/a all/b; touch all/a/x all/b/x
        """)
      for (command, status, error) in [
        ("passport verify etd.png", 2, "etd.png is a seal, which is not a dump. Verify it with `tessera seal verify`."),
        ("passport verify etd.bin", 2, "etd.bin is a seal, which is not a dump. Verify it with `tessera seal verify`."),
        ("passport report etd.png -o x", 2, "etd.png is a seal, which is not a dump."),
        (
          "seal verify dump", 2, "dump is the dump of a travel document, which is not a seal. Verify it with"
        ),
        ("seal verify d.tessera", 3, "d.tessera is the dump of a travel document, which is not a seal."),
        ("passport read --virtual d.tessera", 2, "Verify a dump with `tessera passport verify --virtual FILE`."),
        // Not an error for each folder inside.
        ("passport verify all", 2, "all contains no elementary file of a travel document."),
      ] as [(String, Int32, String)] {
        let run = try await shell.run("$T \(command)")
        #expect(run.status == status && run.errors.contains(error), "\(command): \(run.status) \(run.errors)")
        #expect(run.errors.split(separator: "\n").count == 1 && run.output.isEmpty, "\(command): \(run.errors)")
      }
    }

    @Test("a missing seal has a code of its own")
    func noSeal() async throws {
      let run = try await KeyShell().run("printf DC04FR0000001FFFF | $T seal verify --json -")
      #expect(run.status == 3, "\(run.errors)")
      #expect(try json(run.output)["error"]?["code"] == "noSeal", "\(run.output)")
    }

    @Test("a verdict that --require does not accept is told, also of a genuine seal")
    func required() async throws {
      let shell = try KeyShell()
      _ = try await shell.run("$T chip seal etd -o etd.bin; $T passport read --virtual --out dump")
      let seal = try await shell.run("$T seal verify --virtual --require genuine --passport dump etd.bin")
      #expect(seal.status == 5 && seal.output.hasPrefix("Genuine seal"), "\(seal.output)")
      #expect(seal.errors.contains("The exit status is 5, since --require with --passport demands"), "\(seal.errors)")
      let dump = try await shell.run("$T passport verify --require genuine dump")
      #expect(dump.status == 5 && dump.errors.contains("The exit status is 5, since --require"), "\(dump.errors)")
    }

    @Test("certificates: countries by the codes of documents, and where something comes from")
    func countries() async throws {
      let shell = try KeyShell()
      let request = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key -days 9 "
      let extensions = "-addext keyUsage=critical,keyCertSign,cRLSign 2> /dev/null"
      _ = try await shell.run(
        "\(request) -subj /C=DE/CN=a \(extensions) -out a.cer; \(request) -subj /CN=b \(extensions) -out b.cer")
      let made = try await shell.run(
        "$T trust import --root a.cer - < a.cer; $T trust import --root b.cer b.cer; $T trust list")
      guard made.output.contains("CN=a") else {
        Issue.record("\(made.output)\(made.errors)")
        return
      }
      #expect(made.output.contains("of 1 country,") && !made.output.contains("from -,"), "\(made.output)\(made.errors)")
      for code in ["D", "d", "DE", "DEU"] {
        let list = try await shell.run("$T trust list --country \(code)")
        #expect(list.output.contains("CN=a") && !list.output.contains("CN=b"), "\(code): \(list.output)\(list.errors)")
      }
      // A territory is not the country that signs for it.
      _ = try await shell.run(
        "for c in ZZ GB US; do \(request) -subj /C=$c/CN=of-$c \(extensions) -out $c.cer; "
          + "$T trust import --root $c.cer $c.cer; done")
      for (code, command) in [("ZZ", "list --country zz"), ("ZZ", "export --country ZZ"), ("GB", "list --country GBR")]
      {
        let run = try await shell.run("$T trust \(command)")
        #expect(run.output.contains("CN=of-\(code)"), "\(command): \(run.output)\(run.errors)")
      }
      for code in ["GIB", "PRI", "GBD", "UNK", "XPO"] {
        let removed = try await shell.run("$T trust remove --country \(code)")
        #expect(removed.status != 0 && removed.output.isEmpty, "\(code): \(removed.output)\(removed.errors)")
      }
      for code in ["ZZ", "GBR"] {
        let removed = try await shell.run("$T trust remove --country \(code)")
        #expect(removed.status == 0 && removed.output == "1 removed.\n", "\(code): \(removed.output)\(removed.errors)")
      }
      let left = try await shell.run("$T trust list")
      #expect(left.output.contains("CN=of-US") && !left.output.contains("CN=of-GB"), "\(left.output)\(left.errors)")
      let check = try await shell.run("$T trust check a.cer")
      #expect(check.output.contains("It is known from standard input."), "\(check.output)\(check.errors)")
    }
  }
}
