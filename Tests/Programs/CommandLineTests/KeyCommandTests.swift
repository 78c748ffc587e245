import Foundation
import Tessera
import TestSupport
import Testing

extension RealPrograms {
  @Suite("tessera key")
  struct KeyCommandTests {
    /// All operations on one key. `$S` selects the store, `$P` provides the secret.
    static let life = """
      set -e
      printf 'some text\\n' > message
      $T key generate release $S $P
      $T key public release $S > release.pem
      $T key sign release message $S $P -o message.sig
      $T key verify release message.sig message $S
      openssl dgst -sha256 -verify release.pem -signature message.sig message
      $T key list $S --json
      set +e
      $T key generate release $S $P; echo "again: $?"
      $T key delete release $S; echo "unasked: $?"
      $T key delete release $S --yes $P; echo "deleted: $?"
      $T key public release $S; echo "missing: $?"
      $T key sign release message $S $P; echo "missing: $?"
      $T key delete release $S --yes $P; echo "missing: $?"
      """

    private func checkLife(_ run: ProgramRun) {
      for text in [
        "release: P-256 key", "The signature is valid.", "Verified OK", #""name":"release""#, "again: 7", "unasked: 2",
        "deleted: 0",
      ] { #expect(run.output.contains(text), "\(text)\n\(run.output)\(run.errors)") }
      #expect(run.output.components(separatedBy: "missing: 7").count == 4, "\(run.output)\(run.errors)")
      // A cause and a remedy for each of the five commands that fail.
      #expect(run.errors.split(separator: "\n").count == 5, "\(run.errors)")
    }

    @Test("the life cycle of a key in a token", .enabled(if: TokenLab.isEnabled))
    func token() async throws {
      let lab = try await TokenLab()
      let shell = try KeyShell(["URI": lab.uriWithPIN])
      checkLife(try await shell.run("S=\"--store $URI\" P=\n" + Self.life))
    }

    @Test("the life cycle of a key in a TPM", .enabled(if: TPMLab.isEnabled))
    func tpm() async throws {
      let lab = try await TPMLab()
      let shell = try KeyShell(lab.environment)
      checkLife(try await shell.run("S='--store tpm2' P=\n" + Self.life))
    }

    @Test("the life cycle of a key that the keyring protects", .enabled(if: SecretServiceLab.isEnabled))
    func keyring() async throws {
      let lab = try await SecretServiceLab()
      let shell = try KeyShell(lab.environment)
      checkLife(try await shell.run("S= P=\n" + Self.life))
      let search = try await shell.run("secret-tool search --all xdg:schema org.tessera.KeyFile 2>&1")
      #expect(!search.output.contains("Tessera key"), "the secret of a deleted key is deleted")
    }

    @Test("reports a wrong PIN and a locked token, and never prints the PIN", .enabled(if: TPMTokenLab.isEnabled))
    func lockedToken() async throws {
      let lab = try await TPMTokenLab()
      let shell = try KeyShell(lab.environment.merging(["URI": lab.uri]) { $1 })
      let run = try await shell.run(
        """
        printf 271828 > right; printf 314159 > wrong; echo text > message
        sign() { $T key sign k message -o sig --store "$URI" --passphrase-fd 3 3< $1; echo "$1: $?"; }
        $T key generate k --store "$URI" --passphrase-fd 3 3< right
        sign right; sign wrong; sign right; sign wrong; sign wrong; sign wrong; sign right
        """, timeout: 120)
      #expect(
        run.output.split(separator: "\n").dropFirst().map(String.init)
          == ["right: 0", "wrong: 7", "right: 0", "wrong: 7", "wrong: 7", "wrong: 7", "right: 7"],
        "\(run.output)\(run.errors)")
      let errors = run.errors.split(separator: "\n").filter { $0.hasPrefix("tessera:") }
      let isLockout: [Bool] = errors.map { $0.contains("takes no PIN") }
      // Three wrong PINs lock this TPM (a correct one does not reset the counter). It then rejects the correct one, too.
      #expect(isLockout.first == false && isLockout.last == true, "\(run.errors)")
      #expect(!(run.output + run.errors).contains("271828") && !(run.output + run.errors).contains("314159"))
    }

    @Test("prompts twice for a new passphrase on a terminal, without echo")
    func terminal() async throws {
      let shell = try KeyShell()
      let made = try await shell.runOnTerminal(
        "$T key generate k; echo status $?",
        answers: [("New passphrase for the key k: ", "open sesame\n"), ("Repeat: ", "open sesame\n")])
      #expect(made.output.contains("status 0"), "\(made.output)")
      #expect(!made.output.contains("sesame"))
      let mismatch = try await shell.runOnTerminal(
        "$T key generate m; echo status $?",
        answers: [
          ("New passphrase for the key m: ", "one\n"), ("Repeat: ", "two\n"), ("key m (2 of 3): ", "one\n"),
          ("Repeat (2 of 3): ", "two\n"), ("key m (3 of 3): ", "one\n"), ("Repeat (3 of 3): ", "two\n"),
        ])
      #expect(
        mismatch.output.contains("differed 3 times") && mismatch.output.contains("status 2"), "\(mismatch.output)")
      let corrected = try await shell.runOnTerminal(
        "$T key generate m; echo status $?",
        answers: [
          ("New passphrase for the key m: ", "one\n"), ("Repeat: ", "two\n"), ("key m (2 of 3): ", "two\n"),
          ("Repeat (2 of 3): ", "two\n"),
        ])
      #expect(corrected.output.contains("status 0"), "\(corrected.output)")
      let signed = try await shell.runOnTerminal(
        "echo x | $T key sign k --format base64; echo status $?",
        answers: [("Passphrase of the key k: ", "open sesame\n")])
      #expect(signed.output.contains("status 0") && signed.output.contains("ME"), "\(signed.output)")
      let binary = try await shell.runOnTerminal("$T key sign k /dev/null; echo status $?", answers: [])
      #expect(binary.output.contains("terminal") && binary.output.contains("status 2"))
      for (answer, status) in [("n\n", 7), ("y\n", 0)] {
        let run = try await shell.runOnTerminal(
          "$T key delete k; echo status $?", answers: [("This cannot be undone. [y/N] ", answer)])
        #expect(run.output.contains("status \(status)"), "\(run.output)")
      }
    }

    @Test("Ctrl-C at the prompt restores the terminal's echo")
    func interruption() async throws {
      let shell = try KeyShell()
      // The shell receives the key too, and must continue.
      let run = try await shell.runOnTerminal(
        "trap : INT; $T key generate k; echo status $?; stty -a", answers: [("New passphrase", "\u{3}")])
      #expect(run.output.contains("status 130"), "\(run.output)")
      #expect(run.output.contains(" echo ") && !run.output.contains("-echo "), "\(run.output)")
    }

    @Test("confirms a web origin's signature on the terminal, and refuses it without one")
    func confirmation() async throws {
      let shell = try KeyShell()
      let call = #"$T call --origin https://shop.example crypto.sign '{"keyRef":"k","data":"AAEC"}'; echo status $?"#
      _ = try await shell.run(
        "$T key generate k --unprotected --origin https://shop.example --confirm always > /dev/null 2>&1")
      let refused = try await shell.run(call)
      #expect(refused.output == "status 7\n" && refused.errors.contains("SIGN_FAILED"), "\(refused.errors)")
      for (answer, status) in [("y\n", 0), ("n\n", 7)] {
        let run = try await shell.runOnTerminal(
          call, answers: [("Allow this signature? [y/N]", answer)])
        #expect(run.output.contains("status \(status)"), "\(run.output)")
      }
      let listed = try await shell.run("$T key list")
      #expect(listed.output.contains("https://shop.example") && listed.output.contains("always"))
    }

    @Test("an interrupted signature leaves no file")
    func output() async throws {
      let shell = try KeyShell()
      let run = try await shell.run(
        #"""
        $T key generate k --unprotected > /dev/null 2>&1
        mkfifo pipe; exec 5<> pipe
        $T key sign k - -o out.sig < pipe & process=$!
        for turn in $(seq 2400); do ls out.sig.* > /dev/null 2>&1 && break; sleep 0.05; done
        kill -INT $process; wait $process; echo "status $?"; ls | grep out.sig
        """#)
      #expect(run.output == "status 130\n", "\(run.output)\(run.errors)")
    }

    @Test("two processes generate and delete the same token key concurrently", .enabled(if: TokenLab.isEnabled))
    func race() async throws {
      let lab = try await TokenLab()
      let shell = try KeyShell(["URI": lab.uriWithPIN])
      let run = try await shell.run(
        """
        for turn in 1 2 3 4 5; do
          made=$(for process in 1 2 3; do ($T key generate k --store "$URI" > /dev/null 2>&1; echo "$?") & done; wait)
          echo text | $T key sign k --store "$URI" > /dev/null; echo $(grep -c '^0$' <<< "$made") "made it, signed $?"
          $T key delete k --store "$URI" -y
        done
        """)
      // SoftHSM sometimes fails when several processes start at once: then none creates the key. Two never do.
      let turns = run.output.split(separator: "\n")
      #expect(
        turns.count == 5 && turns.allSatisfy { ["1 made it, signed 0", "0 made it, signed 7"].contains($0) }
          && turns.contains("1 made it, signed 0"), "\(run.output)\(run.errors)")
    }
  }
}
