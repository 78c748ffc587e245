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

    @Test("the life cycle of a key in a file with a passphrase")
    func file() async throws {
      let shell = try KeyShell()
      let script = "printf 'pass word\\n' > secret\nS= P='--passphrase-fd 3'\nexec 3< secret\n"
      // Each command reads the descriptor from its beginning.
      let life = Self.life.replacing("$P", with: "--passphrase-fd 3 3< secret")
      checkLife(try await shell.run(script + life))
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
      let isLockout = run.errors.split(separator: "\n").filter { $0.hasPrefix("tessera:") }.map {
        $0.contains("locked after")
      }
      // Three wrong PINs lock this TPM (a correct one does not reset the counter). It then rejects the correct one, too.
      #expect(isLockout.first == false && isLockout.last == true, "\(run.errors)")
      #expect(!(run.output + run.errors).contains("271828") && !(run.output + run.errors).contains("314159"))
    }

    @Test("a PIN on the command line is rejected and not printed")
    func pinValue() async throws {
      for uri in ["pkcs11:token=t;pin-value=271828", "pkcs11:token=t?pin-value=271828"] {
        let run = try await ProgramRun.tessera(["key", "list", "--json", "--store", uri])
        #expect(run.status == 2)
        #expect(!(run.output + run.errors).contains("271828"))
      }
    }

    @Test("other tools read the formats: OpenSSL, OpenSSH, Python's cryptography, a JOSE library")
    func ecosystem() async throws {
      let shell = try KeyShell()
      let run = try await shell.run(
        #"""
        set -e
        printf 'binary\0text' > message
        $T key generate k --unprotected 2> /dev/null
        for format in pem der base64 point jwk ssh; do $T key public k --format $format -o key.$format; done
        for format in der raw base64 jws; do $T key sign k message --format $format -o sig.$format; done
        for key in key.*; do for sig in sig.*; do $T key verify --public $key $sig message > /dev/null; done; done
        openssl dgst -sha256 -verify key.pem -signature sig.der message
        ssh-keygen -l -f key.ssh
        $T key request k --subject 'CN=Ann\, B.,O=Example,C=UT' | openssl req -noout -verify -subject 2>&1
        $T key request k --subject '/O=Ex/CN=Ann' -o request.pem
        cat > check.py <<'PYTHON'
        import base64, json
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        from jwcrypto import jwk, jws
        read = lambda name: open(name, 'rb').read()
        message = read('message')
        keys = [
            serialization.load_pem_public_key(read('key.pem')), serialization.load_der_public_key(read('key.der')),
            serialization.load_der_public_key(base64.b64decode(read('key.base64'), validate=False)),
            serialization.load_ssh_public_key(read('key.ssh')),
            ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), read('key.point')),
        ]
        raw = read('sig.raw')
        number = lambda part: int.from_bytes(part, 'big')
        signatures = [
            read('sig.der'), base64.b64decode(read('sig.base64')),
            utils.encode_dss_signature(number(raw[:32]), number(raw[32:])),
        ]
        for key in keys:
            for signature in signatures:
                key.verify(signature, message, ec.ECDSA(hashes.SHA256()))
        token = jws.JWS()
        token.deserialize(read('sig.jws').decode())
        token.verify(jwk.JWK.from_json(read('key.jwk').decode()))
        assert token.payload == message
        request = x509.load_pem_x509_csr(read('request.pem'))
        assert request.is_signature_valid and request.subject.rfc4514_string() == 'CN=Ann,O=Ex'
        # And the other way round: a JOSE library signs, and so does cryptography.
        theirs = jwk.JWK.generate(kty='EC', crv='P-256')
        token = jws.JWS(message)
        token.add_signature(theirs, None, json.dumps({'alg': 'ES256', 'kid': 'x'}))
        open('their.jws', 'w').write(token.serialize(compact=True))
        open('their.jwk', 'w').write(theirs.export_public())
        private = ec.generate_private_key(ec.SECP256R1())
        open('their.sig', 'wb').write(private.sign(message, ec.ECDSA(hashes.SHA256())))
        open('their.pem', 'wb').write(private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo))
        print('Python agrees')
        PYTHON
        /usr/bin/python3 check.py
        $T key verify --public their.jwk their.jws message
        $T key verify --public their.pem their.sig message
        """#)
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      for text in ["Verified OK", "(ECDSA)", "verify OK", "CN = \"Ann, B.\"", "Python agrees"] {
        #expect(run.output.contains(text), "\(text)\n\(run.output)\(run.errors)")
      }
      #expect(run.output.components(separatedBy: "The signature is valid.").count == 3)
    }

    @Test("imports every key format of OpenSSL, and exports the keys again")
    func importAndExport() async throws {
      let shell = try KeyShell()
      let run = try await shell.run(
        #"""
        set -e
        echo secret > pass; echo other > pass2; echo text > message
        openssl ecparam -name prime256v1 -genkey > sec1-with-curve.pem
        openssl ec -in sec1-with-curve.pem -out sec1.pem 2> /dev/null
        openssl ec -in sec1.pem -outform DER -out sec1.der 2> /dev/null
        openssl ec -in sec1.pem -aes256 -passout file:pass -out sec1-legacy.pem 2> /dev/null
        openssl pkcs8 -topk8 -nocrypt -in sec1.pem -out pkcs8.pem
        openssl pkcs8 -topk8 -nocrypt -in sec1.pem -outform DER -out pkcs8.der
        openssl pkcs8 -topk8 -in sec1.pem -passout file:pass -out pkcs8-pbkdf2.pem
        openssl pkcs8 -topk8 -in sec1.pem -scrypt -passout file:pass -outform DER -out pkcs8-scrypt.der
        openssl pkey -in sec1.pem -pubout -out public.pem
        for file in sec1*.* pkcs8*.*; do
          $T key import $file $file --unprotected --source-passphrase-fd 3 3< pass > /dev/null 2>&1 || echo "not $file: $?"
          $T key public $file | cmp - public.pem
        done
        $T key import protected - --passphrase-fd 3 3< pass < sec1.pem > /dev/null
        $T key export protected 2> /dev/null | openssl pkey -passin file:pass -pubout | cmp - public.pem
        $T key export protected --passphrase-fd 3 3< pass --new-passphrase-fd 4 4< pass2 -o out.pem 2> /dev/null
        openssl pkey -in out.pem -passin file:pass2 -pubout | cmp - public.pem
        test "$(stat -c %a out.pem)" = 600
        $T key export sec1.pem --unprotected 2> warning | openssl pkey -pubout | cmp - public.pem
        grep -q Warning warning
        set +e
        $T key import x pkcs8-pbkdf2.pem --unprotected --source-passphrase-fd 3 3< pass2; echo "wrong: $?"
        $T key import x pkcs8-pbkdf2.pem --unprotected; echo "no prompt: $?"
        openssl ecparam -name secp384r1 -genkey | $T key import x - --unprotected; echo "curve: $?"
        openssl genpkey -algorithm ed25519 | $T key import x - --unprotected; echo "kind: $?"
        echo nonsense | $T key import x - --unprotected; echo "nonsense: $?"
        $T key import x sec1.pem --store tpm2; echo "store: $?"
        $T key list | grep -c '^x '
        """#, timeout: 120)
      #expect(
        run.output.split(separator: "\n").map(String.init) == [
          "wrong: 7", "no prompt: 7", "curve: 2", "kind: 2", "nonsense: 2", "store: 7", "0",
        ], "\(run.output)\(run.errors)")
    }

    @Test("a failed verification reports the reason")
    func verification() async throws {
      let shell = try KeyShell()
      let run = try await shell.run(
        #"""
        printf text > message; printf other > other
        for k in a b; do $T key generate $k --unprotected > /dev/null 2>&1; done
        $T key sign a message -o sig; $T key sign a message --format jws -o token
        exec 2>&1
        $T key verify b sig message; echo "= $?"
        $T key verify a sig other; echo "= $?"
        $T key verify a sig - < message; echo "= $?"
        $T key verify a token; echo "= $?"
        $T key verify a token other; echo "= $?"
        $T key verify b token message; echo "= $?"
        head -c 20 sig > short; $T key verify a short message; echo "= $?"
        head -c 64 /dev/zero > zeros; $T key verify a zeros message; echo "= $?"
        printf 'eyJhbGciOiJub25lIn0.e30.' > none; $T key verify a none; echo "= $?"
        $T key verify a message message; echo "= $?"
        $T key verify c sig message; echo "= $?"
        $T key verify --public message sig message; echo "= $?"
        $T key verify a sig nothing-here; echo "= $?"
        $T key verify a sig other --json 2> /dev/null; echo "= $?"
        """#)
      let expected = [
        "signature is invalid", "5", "signature is invalid", "5", "is valid", "0", "is valid", "0", "payload differs",
        "5",
        "signature is invalid", "5", "malformed", "5", "out of range", "5", "not ES256", "5", "malformed", "5",
        "no key \"c\"", "7", "public key", "2", "cannot be read", "2", #"{"error":{"code":"checkFailed""#, "5",
      ]
      let lines = run.output.split(separator: "\n").map(String.init)
      #expect(lines.count == expected.count, "\(run.output)")
      for (line, text) in zip(lines, expected) { #expect(line.contains(text), "\(line)") }
    }

    @Test("signs 3 GB in constant memory, and empty and binary inputs")
    func large() async throws {
      let shell = try KeyShell()
      let run = try await shell.run(
        #"""
        set -e
        $T key generate k --unprotected > /dev/null 2>&1; $T key public k -o key.pem
        truncate -s 3G large
        cat > peak.py <<'PYTHON'
        import os, resource, subprocess, sys
        subprocess.run([os.environ['T'], 'key', 'sign', 'k', '-o', 'large.sig', 'large'], check=True)
        print('peak', resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
        PYTHON
        /usr/bin/python3 peak.py
        openssl dgst -sha256 -verify key.pem -signature large.sig large
        $T key verify k large.sig - < large
        : > empty; $T key sign k empty | openssl dgst -sha256 -verify key.pem -signature /dev/stdin empty
        head -c 100000 /dev/urandom > random
        $T key sign k < random > random.sig
        openssl dgst -sha256 -verify key.pem -signature random.sig random
        """#, timeout: 300)
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      #expect(run.output.components(separatedBy: "Verified OK").count == 4, "\(run.output)")
      let peak = run.output.split(separator: "\n").first.flatMap { Int($0.split(separator: " ").last ?? "") } ?? .max
      print("Signing 3 GB: peak resident memory \(peak / 1024) MiB")
      // In KiB. Excludes the sanitizers' shadow memory.
      #expect(peak < 64 * 1024 || ProgramRun.isSanitized, "\(peak) KiB")
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
        answers: [("New passphrase for the key m: ", "one\n"), ("Repeat: ", "two\n")])
      #expect(mismatch.output.contains("differ") && mismatch.output.contains("status 2"), "\(mismatch.output)")
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

    @Test("-o keeps a link, and an interrupted signature leaves no file")
    func output() async throws {
      let shell = try KeyShell()
      let run = try await shell.run(
        #"""
        $T key generate k --unprotected > /dev/null 2>&1
        echo old > target; ln -s target link
        echo text | $T key sign k -o link; test -L link && test "$(wc -c < target)" -gt 60 && echo linked
        echo text | $T key sign k --format base64 -o /dev/stdout | head -c 2; echo
        mkfifo pipe; exec 5<> pipe
        $T key sign k - -o out.sig < pipe & process=$!
        for turn in $(seq 2400); do ls out.sig.* > /dev/null 2>&1 && break; sleep 0.05; done
        kill -INT $process; wait $process; echo "status $?"; ls | grep out.sig
        """#)
      #expect(run.output == "linked\nME\nstatus 130\n", "\(run.output)\(run.errors)")
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

    @Test("request subjects in both notations, with all escapes")
    func subjects() async throws {
      let shell = try KeyShell()
      let run = try await shell.run(
        #"""
        $T key generate k --unprotected > /dev/null 2>&1
        for subject in 'CN=Ann\2C B.,O=x' 'CN=\C3\84nn' 'CN=a\+b\=c\\d' '/O=Ex, Inc/CN=Ann' 'o=Ex, cn=Änn'; do
          $T key request k --subject "$subject" | openssl req -noout -subject -nameopt RFC2253,-esc_msb,utf8
        done
        for subject in '' 'CN' '=x' 'CN=' 'CN=a+OU=b' 'CN=#0401' 'nonsense=x' 'CN=\FF' 'C=UTO' 'CN=a\' 'CN=\zz' '/CN=a+OU=b'; do
          $T key request k --subject "$subject" > /dev/null 2>&1; echo "$subject: $?"
        done
        """#)
      let lines = run.output.split(separator: "\n").map(String.init)
      #expect(
        lines == [
          #"subject=CN=Ann\, B.,O=x"#, "subject=CN=Änn", #"subject=CN=a\+b=c\\d"#, #"subject=CN=Ann,O=Ex\, Inc"#,
          "subject=O=Ex,CN=Änn", ": 2", "CN: 2", "=x: 2", "CN=: 2", "CN=a+OU=b: 2", "CN=#0401: 2", "nonsense=x: 2",
          #"CN=\FF: 2"#, "C=UTO: 2", #"CN=a\: 2"#, #"CN=\zz: 2"#, "/CN=a+OU=b: 2",
        ], "\(run.output)\(run.errors)")
    }

    @Test("an unusable folder is an error, not an empty store")
    func folder() async throws {
      let shell = try KeyShell()
      let run = try await shell.run(
        """
        mkdir -p data/tessera/keys; touch data/tessera/keys/file
        for words in "list" "public k" "delete k -y" "generate k --unprotected"; do
          $T key $words > /dev/null 2> err; echo "$? $(grep -c 'is unusable' err)"
        done
        """)
      #expect(run.output == String(repeating: "7 1\n", count: 4), "\(run.output)")
    }

    @Test("reports an invalid command line before any other action")
    func usage() async throws {
      let shell = try KeyShell()
      let run = try await shell.run(
        #"""
        for words in "generate" "generate k --store nonsense" "generate k --passphrase-fd 9" \
          "generate k --unprotected --passphrase" "generate k --store tpm2 --unprotected" "sign k --passphrase-fd 0" \
          "sign k --format xml" "verify k" "public k --format pgp" "generate https://x.example/k --unprotected" \
          "generate k --origin nonsense --unprotected" "import k /nonexistent --unprotected" "verify k - -"; do
          $T key $words < /dev/null > out 2> err; status=$?
          [ $status = 2 ] && [ ! -s out ] && [ "$(wc -l < err)" -ge 1 ] || echo "$words: $status $(cat err)"
        done
        $T key list --json
        """#)
      #expect(run.output == "{\"keys\":[],\"policies\":[]}\n", "\(run.output)\(run.errors)")
    }

    @Test("sets the confirmation policy before a key exists and after its deletion, and the list shows it")
    func policies() async throws {
      let shell = try KeyShell()
      let run = try await shell.run(
        #"""
        O="--origin https://shop.example"
        call() { $T call $O crypto.$1 "{\"keyRef\":\"k\",\"data\":\"AAEC\"}" > /dev/null 2>&1; echo "$1 $?"; }
        call generateKey; call sign
        $T key confirm k always --origin HTTPS://Shop.example:443/; echo "confirm $?"; call sign
        call deleteKey; $T key list --json; echo; $T key list 2> /dev/null
        call generateKey; call sign
        $T key generate k --unprotected --replace $O > /dev/null 2>&1; call sign
        $T key generate k --unprotected --replace $O --confirm never > /dev/null 2>&1; call sign
        $T key confirm k session $O; $T key list --json | grep -o '"confirm":"[a-z]*"' | sort -u
        $T key confirm k never $O; call sign; $T key confirm k often $O 2> /dev/null; echo "bad $?"
        $T key confirm k always --origin nonsense 2> /dev/null; echo "bad $?"
        """#)
      #expect(
        run.output.split(separator: "\n").map(String.init) == [
          "generateKey 0", "sign 0", "confirm 0", "sign 7", "deleteKey 0",
          #"{"keys":[],"policies":[{"name":"k","origin":"https://shop.example","confirm":"always"}]}"#,
          "NAME  ORIGIN                STORE  PROTECTION  CONFIRM  CREATED  FINGERPRINT",
          "k     https://shop.example  -      -           always   -        -",
          "generateKey 0", "sign 7", "sign 7", "sign 0", #""confirm":"session""#, "sign 0", "bad 2", "bad 2",
        ], "\(run.output)\(run.errors)")
    }

    @Test("the cost of a list is linear in the number of keys")
    func longList() async throws {
      let shell = try KeyShell()
      let run = try await shell.run(
        #"""
        $T key generate k0 --unprotected > /dev/null 2>&1; cd data/tessera/keys/file/local
        fill() { seq $1 $2 | sed 's/^/k/; s/$/.pem/' | xargs -n 1000 sh -c 'tee "$@" < k0.pem > /dev/null' sh; }
        # In hundredths of a second of the processor's.
        cost() {
          /usr/bin/python3 -c 'import os, resource, subprocess
        out = subprocess.run([os.environ["T"], "key", "list"], capture_output=True, check=True).stdout
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(out.count(b"\n") - 1, int((used.ru_utime + used.ru_stime) * 100))'
        }
        fill 1 499; cost; fill 500 3999; cost
        """#, timeout: 300)
      let numbers = run.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
      #expect(numbers.count == 4 && numbers[0] == 500 && numbers[2] == 4_000, "\(run.output)\(run.errors)")
      // Eight times as many keys; a quadratic cost would be sixty-four times as high.
      if numbers.count == 4 { #expect(numbers[3] < 16 * max(numbers[1], 1), "\(run.output)") }
    }
  }
}
