import Foundation
import TestSupport
import Testing

extension RealPrograms {
  @Suite("What a command wrote")
  struct WrittenFileTests {
    private static let commands = [
      ("passport read --virtual --out dump --portrait face.jpg --trace trace.txt", ["dump", "face.jpg", "trace.txt"]),
      ("passport report --virtual dump -o report.html", ["report.html"]),
      ("key public k -o k.pem", ["k.pem"]), ("key sign k k.pem -o k.sig", ["k.sig"]),
      ("chip terminal rights", ["rights"]), ("key export k --unprotected -o k.key", ["k.key"]),
      ("key request k --subject CN=k -o k.csr", ["k.csr"]),
    ]

    @Test("is said on a terminal, and nowhere else")
    func said() async throws {
      let shell = try KeyShell(["TERM": "xterm"])
      _ = try await shell.run("$T key generate k --unprotected")
      for (command, files) in Self.commands {
        let shown = try await shell.runOnTerminal("$T \(command); echo status $?", answers: [])
        #expect(shown.output.contains("status 0"), "\(shown.output)")
        for file in files {
          #expect(shown.output.contains("Wrote \(file)\r\n"), "\(command): \(shown.output)")
          #expect(!shell.folder.bytes(file).isEmpty || ["dump", "rights"].contains(file))
        }
        let quiet = try await shell.run("$T \(command)")
        #expect(quiet.status == 0 && !(quiet.output + quiet.errors).contains("Wrote"), "\(quiet)")
      }
    }

    @Test("the source of a page is not shown on a terminal, unless - asks for it")
    func page() async throws {
      let shell = try KeyShell(["TERM": "xterm"])
      _ = try await shell.run("$T passport read --virtual --out dump")
      let bare = try await shell.runOnTerminal("$T passport report --virtual dump; echo status $?", answers: [])
      #expect(bare.output.contains("Use -o FILE") && bare.output.contains("status 2"), "\(bare.output)")
      let asked = try await shell.runOnTerminal("$T passport report --virtual dump -o -; echo status $?", answers: [])
      #expect(
        asked.output.contains("<!DOCTYPE html>") && asked.output.contains("status 0"), "\(asked.output.prefix(500))")
    }

    @Test("is not said of standard output, a device, or a file that could not be written")
    func unsaid() async throws {
      let shell = try KeyShell(["TERM": "xterm"])
      _ = try await shell.run("$T key generate k --unprotected; $T passport read --virtual --out dump")
      for command in [
        "$T key public k", "$T key public k -o -", "$T key public k -o /dev/null", "$T key public k -o /dev/null/x",
        "$T passport report dump -o /dev/null/x", "$T passport report dump > report.html",
        "$T passport read --virtual --portrait /dev/null", "$T passport read --virtual --out /dev/null/x",
      ] {
        let run = try await shell.runOnTerminal(command, answers: [])
        #expect(!run.output.contains("Wrote"), "\(command): \(run.output)")
      }
    }

    @Test("a name that promises another format than the option writes is told, everywhere in the same words")
    func otherFormat() async throws {
      let shell = try KeyShell()
      _ = try await shell.run("$T key generate k --unprotected; $T passport read --virtual --out dump")
      for (command, file, format) in [
        ("chip seal etd --png v.jpg", "v.jpg", "PNG"), ("passport report --virtual dump -o r.PDF", "r.PDF", "HTML"),
        ("seal verify --virtual seal.png --report s.json", "s.json", "HTML"),
        ("passport read --virtual --trace t.html", "t.html", "plain text"), ("key public k -o k.json", "k.json", "PEM"),
        ("key public k --format jwk -o k.pem", "k.pem", "JSON"),
        ("key export k --unprotected -o x.der", "x.der", "PEM"),
        ("key request k --subject CN=k -o k.txt.der", "k.txt.der", "PEM"),
      ] {
        let run = try await shell.run("$T chip seal etd --png seal.png && $T \(command)")
        let note = "tessera: \(file): The format is \(format), not that of the name. Its usual file name extension is ."
        #expect(run.status == 0 && run.errors.contains(note), "\(run.status) \(run.errors)")
        #expect(!shell.folder.bytes(file).isEmpty)
      }
      let content = try await shell.run("$T chip seal etd -o content.png")
      #expect(content.errors.contains("content.png has the content of the barcode."), "\(content.errors)")
      let json = try await shell.run("$T key public k --json -o new.json")
      #expect(json.status == 0 && json.errors.contains("new.json was not written"), "\(json.errors)")
      // A folder is none of the formats.
      let folder = try await shell.run("$T passport read --virtual --out d.json")
      #expect(folder.errors.contains("tessera: d.json is a folder: "), "\(folder.errors)")
    }

    @Test("nothing is told of a usual name, of one without an extension, of a device and of standard output")
    func sameFormat() async throws {
      let shell = try KeyShell()
      _ = try await shell.run("$T key generate k --unprotected")
      for command in [
        "chip seal etd --png v.PNG", "chip seal etd --png v", "chip seal etd --png /dev/null",
        "chip seal etd --png - > v.jpg",
        "chip seal etd -o v.bin", "passport read --virtual --out dump --trace t.log",
        "passport report --virtual dump -o r.htm",
        "passport report --virtual dump > r.pdf", "passport read --virtual --out d.tessera", "key public k -o k.pub",
        "key public k --format der -o k.der", "key public k --format jwk -o k.json", "key sign k t.log -o t.txt",
      ] {
        let run = try await shell.run("$T \(command)")
        #expect(run.status == 0 && run.errors.isEmpty, "\(command): \(run.errors)")
      }
    }

    @Test("a trace is said also after a read that failed")
    func failed() async throws {
      let shell = try KeyShell(["TERM": "xterm"])
      let run = try await shell.runOnTerminal(
        "$T passport read --virtual fault-token --can 264718 --trace trace.txt; echo status $?", answers: [])
      #expect(run.output.contains("status 6") && run.output.contains("Wrote trace.txt"), "\(run.output)")
    }

    @Test("a folder with other files is refused for a dump, before the read; a dump in it hides no other")
    func otherFolder() async throws {
      let shell = try KeyShell()
      let run = try await shell.run(
        """
        mkdir dumps home; touch home/.profile
        for name in a b; do $T passport read --virtual --out dumps/$name > /dev/null; done
        for folder in dumps home . dumps/../dumps/; do $T passport read --virtual --out $folder; echo $?; done
        ls -A dumps home
        """)
      #expect(run.output == "2\n2\n2\n2\ndumps:\na\nb\n\nhome:\n.profile\n", "\(run.output)\(run.errors)")
      let refusals = run.errors.split(separator: "\n")
      #expect(refusals.count == 4 && refusals.allSatisfy { $0.contains("has other files than those of a dump.") })
      // As an earlier version left it.
      let verified = try await shell.run(
        "cp dumps/a/* dumps && $T passport verify --virtual dumps | cut -d ' ' -f 1-3")
      #expect(verified.output == "ok  dumps\nok  dumps/a\nok  dumps/b\n", "\(verified.output)\(verified.errors)")
    }

    @Test("a folder with a foreign file of a dump's name is refused, and the file remains")
    func foreignName() async throws {
      let shell = try KeyShell()
      let run = try await shell.run(
        """
        for name in SHA256SUMS report.json manifest.json; do
          mkdir of$name; echo foreign > of$name/$name; $T passport read --virtual --out of$name; echo $?; cat of$name/*
        done
        """)
      #expect(run.output == String(repeating: "2\nforeign\n", count: 3), "\(run.output)\(run.errors)")
      let refusals = run.errors.split(separator: "\n")
      #expect(refusals.count == 3 && refusals.allSatisfy { $0.contains("has other files than those of a dump.") })
    }

    @Test("two outputs are different files, also through another name of the folder or of the file")
    func sameOutputs() async throws {
      let shell = try KeyShell()
      _ = try await shell.run("mkdir f; ln -s f link; echo x > old.png; ln old.png hard.png; mkdir dump; mkdir c")
      for (command, options) in [
        ("passport read --virtual --out a.tessera --portrait ./a.tessera", "--out and --portrait"),
        ("passport read --virtual --out a.tessera --trace a.tessera", "--out and --trace"),
        ("passport read --virtual --out f --portrait link", "--out and --portrait"),
        ("passport read --virtual --portrait a.png --trace a.png", "--portrait and --trace"),
        ("passport read --virtual --portrait f/a.png --trace link/a.png", "--portrait and --trace"),
        ("passport read --virtual --portrait old.png --trace hard.png", "--portrait and --trace"),
        ("chip seal etd -o a.png --png f/../a.png", "--output and --png"),
        ("chip seal etd -o c/UT.crl --certificates c", "--output and --certificates"),
      ] {
        let run = try await shell.run("$T \(command)")
        #expect(run.status == 2 && run.output.isEmpty, "\(command): \(run.status)")
        #expect(run.errors.contains("Error: \(options) must be different files."), "\(command): \(run.errors)")
      }
      let inside = try await shell.run("$T passport read --virtual --out dump --portrait dump/report.json")
      #expect(inside.status == 2 && inside.errors.contains("--portrait must not be a file of the dump of --out."))
      let left = try await shell.run("ls; ls dump f c")
      #expect(
        left.output == "c\ndump\nf\nhard.png\nlink\nold.png\nc:\n\ndump:\n\nf:\n", "\(left.output)\(left.errors)")
      let different = try await shell.run(
        "$T passport read --virtual --out d --portrait d.png --trace d.txt")
      #expect(different.status == 0 && different.errors.isEmpty, "\(different.errors)")
      let discarded = try await shell.run(
        "$T passport read --virtual --portrait /dev/null --trace /dev/null")
      #expect(discarded.status == 0, "\(discarded.errors)")
    }

    @Test("the dump of a virtual chip: what is missing for a proof is named, for one and for several")
    func virtualDump() async throws {
      let shell = try KeyShell()
      _ = try await shell.run("$T passport read --virtual --out a; $T passport read --virtual --out b")
      for (arguments, remark) in [("verify a", "a virtual chip"), ("verify a b", "a virtual chip"), ("report a", "a")] {
        let run = try await shell.run("$T passport \(arguments)")
        #expect(run.errors.contains("Use --virtual to accept its test country as proof"), "\(run.errors)")
        #expect(run.errors.contains(remark) && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        let proven = try await shell.run("$T passport \(arguments) --virtual")
        #expect(proven.status == 0 && proven.errors.isEmpty, "\(proven.errors)")
      }
    }
  }
}
