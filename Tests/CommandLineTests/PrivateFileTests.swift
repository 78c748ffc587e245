import Foundation
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Files of --portrait and --out")
  struct PrivateFileTests {
    @Test("replaces a link and keeps its target")
    func links() async throws {
      let shell = try KeyShell()
      let run = try await shell.run(
        """
        echo precious > victim; mkdir dump real; ln -s real linked
        ln -s victim face.jpg; ln -s ../victim dump/DG1.bin; ln -s ../victim dump/report.json
        $T passport read --virtual --portrait face.jpg --out dump > /dev/null 2>&1; echo "read: $?"
        cat victim; for file in face.jpg dump/DG1.bin dump/report.json; do test -L $file || stat -c '%a %F' $file; done
        for out in linked linked/ ./linked/.; do
          $T passport read --virtual --out $out > /dev/null 2> errors; echo "link: $? $(grep -c 'is a link' errors)"
        done
        ls real | wc -l; ln -s victim trace; $T passport read --virtual --trace trace > /dev/null 2>&1; echo "trace: $?"
        cat victim; $T passport read --virtual --portrait /dev/stdout --json 2>&1 | head -c 100 > piped; wc -c < piped
        """)
      let file = "600 regular file\n"
      let link = "link: 2 1\n"
      #expect(
        run.output == "read: 0\nprecious\n\(file)\(file)\(file)\(link)\(link)\(link)0\ntrace: 2\nprecious\n100\n",
        "\(run.output)\(run.errors)")
    }

    @Test("keeps the existing file if the new one cannot be written")
    func full() async throws {
      let shell = try KeyShell()
      let run = try await shell.run(
        """
        $T passport read --virtual --portrait face.jpg --out dump > /dev/null 2>&1; echo "first: $?"
        sums() { ls -A dump | wc -l; cat face.jpg dump/* | sha256sum; }
        sums > before; trap '' XFSZ
        (ulimit -f 4; $T passport read --virtual --out dump > /dev/null 2> errors; echo "dump: $? $(grep -c 'written' errors)")
        (ulimit -f 4; $T passport read --virtual --portrait face.jpg > /dev/null 2> errors; echo "portrait: $?")
        sums | cmp - before && echo same; ls -A | grep -c new
        $T passport read --virtual all --out dump > /dev/null 2>&1; ls dump | grep -c CardAccess; ls -A dump | grep -c new
        $T passport read --virtual --out dump > /dev/null 2>&1; ls dump | grep -c CardAccess
        """)
      #expect(
        run.output == "first: 0\ndump: 2 1\nportrait: 2\nsame\n0\n1\n0\n0\n", "\(run.output)\(run.errors)")
    }
  }
}
