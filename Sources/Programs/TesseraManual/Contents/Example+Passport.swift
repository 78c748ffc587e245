extension Example {
  static let passport: [Example] = [
    Example(
      command: "tessera passport", sentence: "Read the specimen of the virtual chip, and keep the read:",
      line: "tessera passport read --virtual --out dump.tessera", output: "Genuine", files: ["dump.tessera"]),
    Example(
      command: "tessera passport read", sentence: "Read the specimen of the virtual chip, without hardware:",
      line: "tessera passport read --virtual", output: "Genuine"),
    Example(
      command: "tessera passport read", sentence: "Read it with PACE, and write the portrait:",
      line: "tessera passport read --virtual all --portrait face.png", output: "Genuine", files: ["face.png"]),
    Example(
      command: "tessera passport read",
      sentence: "Read the document on the reader. On a terminal, the command prompts for the key:",
      line: "tessera passport read", needs: "a contactless reader and a document"),
    Example(
      command: "tessera passport read", sentence: "Try these prompts, without a reader:",
      line: "tessera passport read --virtual --prompt", needs: "a terminal"),
    Example(
      command: "tessera passport read", sentence: "Read it with the zone in a private file, for a program:",
      line: "tessera passport read --json --mrz mrz.txt", needs: "a contactless reader and a document"),
    Example(
      command: "tessera passport verify",
      sentence: "Repeat all checks on a saved read. With `--virtual`, the test country counts:",
      line: "tessera passport verify --virtual dump.tessera", output: "Genuine", preparation: savedRead),
    Example(
      command: "tessera passport verify",
      sentence: "Without it, a read of the virtual chip proves nothing, since the keys of its issuer are public:",
      line: "tessera passport verify --json dump.tessera", output: #""outcome" *: *"notEstablished""#,
      preparation: savedRead),
    Example(
      command: "tessera passport verify", sentence: "The exit status is 5 unless the read is genuine:",
      line: "tessera passport verify --virtual --require genuine dump.tessera", output: "Genuine",
      preparation: savedRead),
    Example(
      command: "tessera passport report", sentence: "Write a saved read as a page of HTML:",
      line: "tessera passport report --virtual dump.tessera -o report.html", preparation: savedRead,
      files: ["report.html"]),
  ]

  private static let savedRead = "tessera passport read --virtual --out dump.tessera > read.txt"

  static let trust: [Example] = [
    Example(
      command: "tessera trust", sentence: "Import the German master list, and list the countries in it:",
      line: """
        tessera trust import DE_ML.ml --root DE_ROOT_CA.cer
        tessera trust list
        """, output: "certificates of country signers", preparation: masterList),
    Example(
      command: "tessera trust import", sentence: "Import a list, which the named certificate vouches for:",
      line: "tessera trust import DE_ML.ml --root DE_ROOT_CA.cer", output: "certificates of country signers",
      preparation: masterList),
    Example(
      command: "tessera trust import", sentence: "A list that no named or imported certificate vouches for is refused:",
      line: "tessera trust import DE_ML.ml", status: 2, output: "--root", preparation: masterList),
    Example(
      command: "tessera trust list", sentence: "List the certificates of one country:",
      line: "tessera trust list --country FR", output: "FR", preparation: imported),
    Example(
      command: "tessera trust check", sentence: "Show what a certificate leads to:",
      line: "tessera trust check DE_ROOT_CA.cer", output: "ok", preparation: imported),
    Example(
      command: "tessera trust remove", sentence: "Remove the certificates of one country:",
      line: "tessera trust remove --country FR", output: "removed", preparation: imported),
    Example(
      command: "tessera trust export", sentence: "Write the certificates of one country for another machine:",
      line: "tessera trust export --country DE -o germany.pem", preparation: imported,
      files: ["germany.pem"]),
  ]

  private static let masterList = """
    cp "$TESTS/Passport/Specimens/masterlist/DE_ML_2026-05-28-08-28-45.ml" DE_ML.ml
    cp "$TESTS/Passport/Specimens/masterlist/DE_ROOT_CA_CSCA07.cer" DE_ROOT_CA.cer
    """

  private static let imported =
    masterList + "\ntessera trust import DE_ML.ml --root DE_ROOT_CA.cer > import.txt"
}
