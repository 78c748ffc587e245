import Foundation
import TesseraArchive
import TestSupport
import Testing

@testable import TesseraVerification

/// Files of trust material in every form in which they are published.
@Suite struct TrustSourceTests {
  fileprivate static let list = TrustObject.masterList(PublishedFiles.masterList)
  fileprivate static let root = TrustObject.certificate(PublishedFiles.root)

  fileprivate static func objects(_ bytes: [UInt8]) throws -> [TrustObject] {
    try TrustSource.objects(in: bytes, name: "file")
  }

  fileprivate static func objects(_ text: String) throws -> [TrustObject] { try objects(Array(text.utf8)) }

  fileprivate static func problem(_ bytes: [UInt8]) -> TrustSourceError.Problem? {
    do {
      _ = try TrustSource.objects(in: bytes, name: "file")
      return nil
    } catch { return error.problem }
  }

  fileprivate static func problem(_ text: String) -> TrustSourceError.Problem? { problem(Array(text.utf8)) }

  @Test func publishedFiles() throws {
    #expect(PublishedFiles.masterList.count == 902_359)
    #expect(try Self.objects(PublishedFiles.masterList) == [Self.list])
    #expect(try Self.objects(PublishedFiles.root) == [Self.root])
    #expect(try Self.objects(PublishedFiles.root + [13, 10]) == [Self.root])
  }

  /// Two bytes for each element, which takes dozens in memory.
  @Test func manyEmptyElements() {
    let count = 1 << 22
    let length = (0..<4).reversed().map { UInt8(truncatingIfNeeded: 2 * count >> ($0 * 8)) }
    let elements = [UInt8](unsafeUninitializedCapacity: 2 * count) { buffer, size in
      for index in 0..<count { (buffer[2 * index], buffer[2 * index + 1]) = (0x30, 0) }
      size = 2 * count
    }
    #expect(Self.problem([0x30, 0x84] + length + elements) == .damaged(line: nil))
  }

  @Test func fieldsOfVersion1() throws {
    func element(_ tag: UInt8, _ content: [UInt8] = []) -> [UInt8] { [tag, UInt8(content.count)] + content }
    func signed(_ fields: [UInt8]) -> [UInt8] {
      element(0x30, element(0x30, fields) + element(0x30) + element(0x03, [0, 1]))
    }
    let certificate = signed(element(0x02, [1]) + element(0x30) + element(0x30) + element(0x30))
    #expect(try Self.objects(certificate) == [.certificate(certificate)])
    for time: UInt8 in [0x17, 0x18] {
      let list = signed(element(0x30) + element(0x30) + element(time))
      #expect(try Self.objects(list) == [.revocationList(list)])
    }
    #expect(Self.problem(signed(element(0x02, [1]))) == .unrecognised)
  }

  @Test(arguments: ["\n", "\r\n"])
  func pem(lineEnd: String) throws {
    let text = [
      "Master list of Germany", PublishedFiles.block("CMS", PublishedFiles.masterList, lineEnd: lineEnd),
      "and its root:", PublishedFiles.block("CERTIFICATE", PublishedFiles.root, lineEnd: lineEnd),
      PublishedFiles.block("EC PRIVATE KEY", [1, 2, 3], lineEnd: lineEnd),
      PublishedFiles.block("PKCS7", PublishedFiles.masterList, lineEnd: lineEnd), "the end",
    ].joined(separator: lineEnd)
    #expect(try Self.objects(text) == [Self.list, Self.root, Self.list])
    #expect(try Self.objects([0xEF, 0xBB, 0xBF] + Array(text.utf8)).count == 3)
  }

  @Test func refusedPEM() throws {
    let block = PublishedFiles.block("CERTIFICATE", PublishedFiles.root)
    #expect(Self.problem(block.replacing("END", with: "BEGIN")) == .damaged(line: 30))
    #expect(Self.problem(String(block.dropLast(30))) == .damaged(line: 1))
    #expect(Self.problem("x\n" + block.replacing("MII", with: "M?I")) == .damaged(line: 2))
    #expect(Self.problem(PublishedFiles.block("CERTIFICATE", PublishedFiles.root.dropLast())) == .damaged(line: 1))
    #expect(Self.problem(PublishedFiles.block("PRIVATE KEY", PublishedFiles.root)) == .unrecognised)
  }

  @Test func bareBase64() throws {
    let text = PublishedFiles.base64(PublishedFiles.masterList)
    #expect(try Self.objects(text) == [Self.list])
    #expect(try Self.objects(" \r\n\(text.prefix(76))\r\n\(text.dropFirst(76))\r\n") == [Self.list])
    #expect(Self.problem(String(text.dropLast(400))) == .damaged(line: nil))
  }

  @Test func unreadableLDIF() throws {
    let text = """
      version: 1
      dn: cn=a
      userCertificate;binary:: MIIB
      cACertificate: text
      \(PublishedFiles.attribute("userCertificate", PublishedFiles.root))
      userCertificate;binary:: M?
      """
    #expect(
      try Self.objects(text).filter { $0 != Self.root }
        == [.unreadable(line: 3), .unreadable(line: 4), .unreadable(line: text.split(separator: "\n").count)])
    #expect(Self.problem("dn: cn=a\nuserCertificate;binary:< file:///etc/passwd\n") == .fileReference(line: 2))
  }

  /// A zero is the first byte of DER and of many dates.
  @Test func textThatBeginsLikeDER() throws {
    let notes = "01.06.2026 Release notes of the list"
    let archive = try ZipArchive.write([
      ZipEntry(name: "notes.txt", bytes: Array(notes.utf8)), ZipEntry(name: "root.cer", bytes: PublishedFiles.root),
    ])
    #expect(try Self.objects(archive) == [Self.root])
    #expect(Self.problem(notes) == .unrecognised)
    #expect(try Self.objects("\(notes)\n\(PublishedFiles.block("CERTIFICATE", PublishedFiles.root))") == [Self.root])
    #expect(Self.problem(PublishedFiles.root.dropLast()) == .damaged(line: nil))
  }

  /// A CMS message is decoded as a whole before its signature can be verified.
  @Test func hugeMessage() {
    let type: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    func message(_ size: Int) -> [UInt8] {
      let length = withUnsafeBytes(of: UInt32(size - 6).bigEndian, Array.init)
      return [0x30, 0x84] + length + type + [UInt8](repeating: 0, count: size - 6 - type.count)
    }
    #expect(Self.problem(message(TrustSource.maximumMessageSize + 1)) == .tooLarge(limit: 16 << 20))
    #expect(Self.problem(message(TrustSource.maximumMessageSize)) == .damaged(line: nil))
  }

  @Test func archives() throws {
    let archive = try ZipArchive.write([
      ZipEntry(name: "readme.txt", bytes: Array("See <https://www.bsi.bund.de>.".utf8)),
      ZipEntry(name: "list.ml", bytes: PublishedFiles.masterList),
      ZipEntry(name: "root.pem", bytes: Array(PublishedFiles.block("CERTIFICATE", PublishedFiles.root).utf8)),
    ])
    #expect(try Self.objects(archive) == [Self.list, Self.root])
    let inArchive = try ZipArchive.write([ZipEntry(name: "inner\u{1B}.zip", bytes: archive)])
    #expect(Self.problem(inArchive) == .nestedArchive)
    #expect(throws: TrustSourceError("file: inner\u{1B}.zip", .nestedArchive)) { try Self.objects(inArchive) }
    // Beside what can be used, an archive is named, and the text of an office program is not.
    let text = try ZipArchive.write([ZipEntry(name: "[Content_Types].xml", bytes: [0x3C])])
    let mixed = try ZipArchive.write([
      ZipEntry(name: "readme.docx", bytes: text), ZipEntry(name: "inner\u{1B}.zip", bytes: archive),
      ZipEntry(name: "list.ml", bytes: PublishedFiles.masterList),
    ])
    #expect(try Self.objects(mixed) == [Self.list, .archive(name: "inner .zip")])
    #expect(Self.problem(try ZipArchive.write([ZipEntry(name: "readme.docx", bytes: text)])) == .unrecognised)
    #expect(TrustSourceError("\u{1B}[2J", .empty).name == " [2J")
    #expect(Self.problem(try ZipArchive.write([])) == .unrecognised)
    #expect(Self.problem(Array(archive.dropLast(30))) == .archive(.damaged))
    let damaged = ZipEntry(name: "list.ml", bytes: PublishedFiles.masterList.dropLast())
    #expect(Self.problem(try ZipArchive.write([damaged])) == .damaged(line: nil))
    let bomb = try ZipArchive.write([
      ZipEntry(name: "zeros", bytes: [UInt8](repeating: 0, count: TrustSource.maximumSize + 1))
    ])
    #expect(Self.problem(bomb) == .archive(.tooLarge(.entrySize(TrustSource.maximumSize))))
  }

  @Test func otherFiles() {
    #expect(Self.problem([UInt8]()) == .empty)
    #expect(Self.problem(" \r\n") == .empty)
    #expect(Self.problem("\n<!DOCTYPE html><html>") == .webPage)
    #expect(Self.problem("hello") == .unrecognised)
    #expect(Self.problem([0x77, 0x01, 0x00]) == .unrecognised)
    #expect(Self.problem([0x30, 0x03, 0x01, 0x01, 0x00]) == .unrecognised)
    #expect(Self.problem([0x30, 0x80]) == .damaged(line: nil))
    #expect(Self.problem([UInt8](repeating: 0x20, count: TrustSource.maximumSize + 1)) == .tooLarge(limit: 256 << 20))
    let nested = (0..<200_000).flatMap { _ in [0x30, 0x80] as [UInt8] }
    #expect(Self.problem(nested) == .damaged(line: nil))
    #expect(Self.problem(PublishedFiles.masterList + [0]) == .damaged(line: nil))
  }

  /// Each failure has a cause and a remedy.
  @Test func descriptions() {
    let error = TrustSourceError("list.ml", .webPage)
    #expect(error.failure.cause == "“list.ml” is a web page, not a list or a certificate.")
    #expect(error.failure.remedy?.isEmpty == false)
    let inArchive = TrustSourceError("list.zip", .archive(.encrypted))
    #expect(inArchive.failure.cause == "“list.zip” cannot be used. The zip archive is encrypted.")
  }
}

extension RealPrograms {
  /// The same with files that OpenSSL writes.
  @Suite struct ForeignTrustSourceTests {
    @Test func filesOfOpenSSL() async throws {
      let files = try await PublishedFiles.written.value
      // OpenSSL streams with indefinite lengths.
      #expect(files.masterList.starts(with: [0x30, 0x80]))
      #expect(try TrustSourceTests.objects(files.masterList) == [.masterList(files.masterList)])
      #expect(try TrustSourceTests.objects(files.deviationList) == [.deviationList(files.deviationList)])
      #expect(try TrustSourceTests.objects(files.certificate) == [.certificate(files.certificate)])
      #expect(try TrustSourceTests.objects(files.revocationList) == [.revocationList(files.revocationList)])
      let both: [TrustObject] = [.certificate(files.certificate), .revocationList(files.revocationList)]
      #expect(try TrustSourceTests.objects(files.bag) == both)
      #expect(try TrustSourceTests.objects(files.pem) == both)
      #expect(TrustSourceTests.problem(files.securityObject) == .otherSignedData)
    }

    /// The form since 2016.
    @Test func ldif() async throws {
      let files = try await PublishedFiles.written.value
      let text = """
        # ICAO PKD, a comment
         that is folded
        version: 1

        dn: cn=CN\\=CSCA-GERMANY,o=ml,c=DE,dc=data,dc=download,dc=pkd,dc=icao,dc=int
        pkdVersion: 325
        objectClass: top
        objectClass: pkdMasterList
        objectClass: pkdDownload
        \(PublishedFiles.attribute("pkdMasterListContent", PublishedFiles.masterList))
        cn: CN=csca-germany

        dn:: Y249dGVzdA==
        objectClass: inetOrgPerson
        objectClass: pkdDownload
        \(PublishedFiles.attribute("userCertificate;binary", PublishedFiles.root))
        sn: 4CD

        dn: cn=test,o=dsc,c=UT,dc=nc-data,dc=download,dc=pkd,dc=icao,dc=int
        pkdConformanceCode: ERR:DSC.CBF.1
        pkdConformanceText: The certificate is not conformant.
        \(PublishedFiles.attribute("USERCERTIFICATE;BINARY", files.certificate))

        dn: cn=test,o=crl,c=UT,dc=data,dc=download,dc=pkd,dc=icao,dc=int
        objectClass: cRLDistributionPoint
        \(PublishedFiles.attribute("certificateRevocationList;binary", files.revocationList))
        authorityRevocationList;binary::

        """
      let expected: [TrustObject] = [
        TrustSourceTests.list, TrustSourceTests.root, .certificate(files.certificate),
        .revocationList(files.revocationList),
      ]
      #expect(try TrustSourceTests.objects(text) == expected)
      #expect(try TrustSourceTests.objects(text.replacing("\n", with: "\r\n")) == expected)
      #expect(try TrustSourceTests.objects("version: 1\n\n").isEmpty)
    }

    /// The form before 2016, and attributes that only directories of states have.
    @Test func formerLDIF() async throws {
      let files = try await PublishedFiles.written.value
      let text = """
        dn: cn=master list,c=DE,dc=CSCAMasterList,dc=pkdDownload
        objectclass: CscaCertificateObject
        \(PublishedFiles.attribute("CscaMasterListData", PublishedFiles.masterList))

        dn: cn=other
        \(PublishedFiles.attribute("deviations;binary", files.deviationList))
        \(PublishedFiles.attribute("jpegPhoto", [0x30, 0x03, 1, 2, 3]))
        """
      #expect(try TrustSourceTests.objects(text) == [TrustSourceTests.list, .deviationList(files.deviationList)])
    }

    @Test func changesOfLDIF() async throws {
      let files = try await PublishedFiles.written.value
      let (old, new) = (
        PublishedFiles.attribute("userCertificate;binary", files.certificate),
        PublishedFiles.attribute("userCertificate;binary", PublishedFiles.root)
      )
      let text = """
        version: 1
        dn: cn=added
        changetype: add
        \(new)

        dn: cn=changed
        changetype: modify
        delete: userCertificate;binary
        \(old)
        -
        add: userCertificate;binary
        \(new)
        -
        replace: certificateRevocationList;binary
        \(PublishedFiles.attribute("certificateRevocationList;binary", files.revocationList))
        -

        dn: cn=deleted
        changetype: delete
        \(old)

        """
      let lines = text.components(separatedBy: "\n")
      func line(_ start: String) throws -> Int { try #require(lines.firstIndex { $0.hasPrefix(start) }) + 1 }
      #expect(
        try TrustSourceTests.objects(text) == [
          TrustSourceTests.root, .deletion(line: line("delete:")), TrustSourceTests.root,
          .revocationList(files.revocationList), .deletion(line: line("changetype: delete")),
        ])
    }

    @Test func hostileBytes() async throws {
      let files = try await PublishedFiles.written.value
      let ldif = """
        version: 1
        dn: cn=a
        changetype: modify
        add: userCertificate
        \(PublishedFiles.attribute("userCertificate;binary", files.certificate))
        -

        dn: cn=b
        \(PublishedFiles.attribute("pkdMasterListContent", files.masterList))
        """
      let seeds = [
        files.certificate, files.revocationList, files.bag, files.masterList, Array(files.pem.utf8), Array(ldif.utf8),
        Array(PublishedFiles.base64(files.certificate).utf8),
        try ZipArchive.write([ZipEntry(name: "a", bytes: files.bag), ZipEntry(name: "b", bytes: files.certificate)]),
      ]
      for seed in seeds {
        for step in 0..<200 { _ = TrustSourceTests.problem(Array(seed.prefix(seed.count * step / 200))) }
        await Fuzzing.manyTimes(200, of: "trust sources") { generator in
          _ = TrustSourceTests.problem(Fuzzing.mutated(seed, &generator))
        }
      }
      // A part of a list in DER is never a list.
      for _ in 0..<20 {
        let count = Int.random(in: 1..<PublishedFiles.masterList.count)
        #expect(TrustSourceTests.problem(Array(PublishedFiles.masterList.prefix(count))) == .damaged(line: nil))
      }
    }
  }
}
