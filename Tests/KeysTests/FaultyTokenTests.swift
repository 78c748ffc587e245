import Foundation
import TesseraCore
import TesseraCryptography
import TesseraKeys
import TestSupport
import Testing

/// A PKCS#11 module that passes every call to SoftHSM, and fails one of them as a file says.
private struct FaultyModule {
  /// When the call fails.
  enum Moment: String, CaseIterable {
    /// It is not carried out.
    case before
    /// It is carried out, and reported as a failure: a connection was cut.
    case after
    /// The process is killed while the token writes an object in its place: the object is lost.
    case torn
    /// The process is killed after the call.
    case killed

    var kills: Bool { self == .torn || self == .killed }
  }

  private let folder: TemporaryFolder
  var path: String { folder.file("faulty.so") }

  private static let source = """
    #include <dlfcn.h>
    #include <stdio.h>
    #include <string.h>
    #include <p11-kit/pkcs11.h>

    static CK_FUNCTION_LIST *real, list;

    // The file names a function, the number of the call that fails, and the moment; then it is empty. After the moments
    // that kill, it contains "dead", and a process that reads it can change nothing any more.
    static const char *fault(const char *name) {
      static char when[16];
      char function[64];
      int count;
      FILE *file = fopen(FAULT, "r");
      if (!file) return "";
      int found = fscanf(file, "%63s %d %15s", function, &count, when);
      fclose(file);
      if (found == 1 && !strcmp(function, "dead")) return "dead";
      if (found != 3 || strcmp(function, name)) return "";
      file = fopen(FAULT, "w");
      if (!file) return "";
      int kills = !strcmp(when, "torn") || !strcmp(when, "killed");
      if (count > 1) fprintf(file, "%s %d %s\\n", function, count - 1, when);
      else if (kills) fputs("dead\\n", file);
      fclose(file);
      return count > 1 ? "" : when;
    }

    #define CALL(name, torn, call) \\
      const char *when = fault(#name); \\
      if (!strcmp(when, "before") || !strcmp(when, "dead")) return CKR_FUNCTION_FAILED; \\
      if (!strcmp(when, "torn")) { torn; return CKR_FUNCTION_FAILED; } \\
      CK_RV result = real->name call; \\
      return *when ? CKR_FUNCTION_FAILED : result;

    static unsigned long count(CK_SESSION_HANDLE s, CK_ATTRIBUTE *a, CK_ULONG n, CK_OBJECT_HANDLE *found, CK_ULONG room) {
      CK_ULONG number = 0;
      if (real->C_FindObjectsInit(s, a, n) != CKR_OK) return 0;
      real->C_FindObjects(s, found, room, &number);
      real->C_FindObjectsFinal(s);
      return number;
    }

    // Notes a change of a public object whose private one has its name.
    static void note(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE o) {
      CK_OBJECT_CLASS class = 0, wanted = CKO_PRIVATE_KEY;
      CK_BYTE identifier[256], label[256] = "";
      CK_ATTRIBUTE public[] = {{CKA_CLASS, &class, sizeof class}, {CKA_ID, identifier, sizeof identifier}};
      if (real->C_GetAttributeValue(s, o, public, 2) != CKR_OK || class != CKO_PUBLIC_KEY) return;
      CK_ATTRIBUTE private[] = {{CKA_CLASS, &wanted, sizeof wanted}, {CKA_ID, identifier, public[1].ulValueLen}};
      CK_OBJECT_HANDLE found[16];
      for (unsigned long left = count(s, private, 2, found, 16); left > 0; left--) {
        CK_ATTRIBUTE name = {CKA_LABEL, label, sizeof label};
        if (real->C_GetAttributeValue(s, found[left - 1], &name, 1) != CKR_OK) continue;
        if (name.ulValueLen > 8 && !memcmp(label, "tessera-", 8)) continue;
        FILE *file = fopen(FAULT ".noted", "a");
        if (file) { fputs("x", file); fclose(file); }
      }
    }

    static CK_RV generate(CK_SESSION_HANDLE s, CK_MECHANISM *m, CK_ATTRIBUTE *a, CK_ULONG n, CK_ATTRIBUTE *b, CK_ULONG k,
                          CK_OBJECT_HANDLE *x, CK_OBJECT_HANDLE *y) {
      CALL(C_GenerateKeyPair, {
        if (real->C_GenerateKeyPair(s, m, a, n, b, k, x, y) == CKR_OK) real->C_DestroyObject(s, *y);
      }, (s, m, a, n, b, k, x, y))
    }
    static CK_RV set(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE o, CK_ATTRIBUTE *a, CK_ULONG n) {
      note(s, o);
      CALL(C_SetAttributeValue, real->C_DestroyObject(s, o), (s, o, a, n))
    }
    // SoftHSM writes the copy first with the old label.
    static CK_RV copy(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE o, CK_ATTRIBUTE *a, CK_ULONG n, CK_OBJECT_HANDLE *x) {
      if (COPY != CKR_OK) return COPY;
      CALL(C_CopyObject, real->C_CopyObject(s, o, a, 0, x), (s, o, a, n, x))
    }
    static CK_RV destroy(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE o) { CALL(C_DestroyObject, , (s, o)) }
    static CK_RV sign(CK_SESSION_HANDLE s, CK_MECHANISM *m, CK_OBJECT_HANDLE k) { CALL(C_SignInit, , (s, m, k)) }
    static CK_RV initialize(void *a) {
      CK_RV result = real->C_Initialize(a);
      return result == CKR_CRYPTOKI_ALREADY_INITIALIZED ? CKR_OK : result;
    }
    static CK_RV finalize(void *a) { return CKR_OK; }

    CK_RV C_GetFunctionList(CK_FUNCTION_LIST **out) {
      void *library = dlopen("/usr/lib/softhsm/libsofthsm2.so", RTLD_NOW);
      CK_C_GetFunctionList get = library ? (CK_C_GetFunctionList)dlsym(library, "C_GetFunctionList") : 0;
      if (!get || get(&real) != CKR_OK) return CKR_GENERAL_ERROR;
      list = *real;
      list.C_GenerateKeyPair = generate;
      list.C_SetAttributeValue = set;
      list.C_CopyObject = copy;
      list.C_DestroyObject = destroy;
      list.C_SignInit = sign;
      list.C_Initialize = initialize;
      list.C_Finalize = finalize;
      list.C_GetFunctionList = C_GetFunctionList;
      *out = &list;
      return CKR_OK;
    }
    """

  /// - Parameter copy: what `C_CopyObject` always returns; it is carried out if this is `CKR_OK`.
  init(copy: String = "CKR_OK") async throws {
    folder = try TemporaryFolder()
    try Self.source.write(toFile: folder.file("faulty.c"), atomically: true, encoding: .utf8)
    let run = try await RunningProgram(
      URL(fileURLWithPath: "/usr/bin/gcc"),
      [
        "-shared", "-fPIC", "-I/usr/include/p11-kit-1", "-DFAULT=\"\(folder.file("fault"))\"", "-DCOPY=\(copy)", "-o",
        path, folder.file("faulty.c"),
      ]
    ).finish(within: 120)
    guard run.status == 0 else { throw Failure(.keyStoreUnavailable, run.errors) }
  }

  func fail(_ function: String, call: Int, _ moment: Moment) throws {
    try "\(function) \(call) \(moment.rawValue)\n".write(
      toFile: folder.file("fault"), atomically: true, encoding: .utf8)
  }

  /// Whether the call failed.
  func wasReached() throws -> Bool {
    defer { try? FileManager.default.removeItem(atPath: folder.file("fault")) }
    return [[], Array("dead\n".utf8)].contains(Array(folder.bytes("fault")))
  }

  /// How often a public object was changed whose private object has its name.
  var changesInPlace: Int { folder.bytes("fault.noted").count }
}

extension RealPrograms {
  @Suite("A token that fails", .enabled(if: TokenLab.isEnabled))
  struct FaultyTokenTests {
    private static let functions = [
      "C_GenerateKeyPair", "C_SetAttributeValue", "C_CopyObject", "C_DestroyObject", "C_SignInit",
    ]
    private static let digest = [UInt8](repeating: 7, count: 32)
    private let (ours, theirs): (KeyName, KeyName)

    init() throws { (ours, theirs) = (try KeyName("ours"), try KeyName("theirs")) }

    /// A token with two keys of another program that have the same `CKA_ID`.
    private struct SharedToken {
      let lab: TokenLab
      let folder: TemporaryFolder
      let module: FaultyModule
      let plain: TokenKeyStore
      let faulty: TokenKeyStore

      init(copy: String = "CKR_OK") async throws {
        (lab, folder, module) = (try await TokenLab(), try TemporaryFolder(), try await FaultyModule(copy: copy))
        for label in ["theirs", "ours"] {
          let made = try await lab.tool(["--keypairgen", "--key-type", "EC:prime256v1", "--label", label, "--id", "01"])
          #expect(made.status == 0, "\(made.errors)")
        }
        let (uri, path) = (lab.uriWithPIN, folder.url.path)
        plain = try TokenKeyStore(uri: uri, secrets: NonInteractive(), path: path, secretService: { nil })
        faulty = try TokenKeyStore(
          uri: uri.replacing("/usr/lib/softhsm/libsofthsm2.so", with: module.path), secrets: NonInteractive(),
          path: path, secretService: { nil })
      }

      /// The public key of a key that signs.
      func wholeKey(_ name: KeyName, _ place: String) async throws -> P256PublicKey {
        let key = try await plain.key(name).publicKey
        #expect(
          try key.verify(
            await plain.sign(digest: FaultyTokenTests.digest, with: name), digest: FaultyTokenTests.digest), "\(place)")
        return key
      }

      /// Lets each call of a function fail in turn, until `change` no longer reaches it.
      ///
      /// - Returns: how often `change` threw.
      func failEach<Value>(
        _ function: String, _ moments: [FaultyModule.Moment], _ change: (TokenKeyStore) async throws -> Value,
        check: (Result<Value, any Error>, FaultyModule.Moment, String) async throws -> Void
      ) async throws -> Int {
        var failures = 0
        for moment in moments {
          var call = 1
          while true {
            try module.fail(function, call: call, moment)
            let made = await Result { try await change(faulty) }
            guard try module.wasReached() else { break }
            if case .failure = made { failures += 1 }
            try await check(made, moment, "\(function) \(call) \(moment)")
            call += 1
          }
        }
        return failures
      }
    }

    /// Replaces a key, with each call of a function failing in turn.
    private func replace(_ token: SharedToken, _ function: String, _ moments: [FaultyModule.Moment]) async throws -> Int
    {
      let point = try await token.plain.key(theirs).publicKey
      var before = try await token.plain.key(ours).publicKey
      return try await token.failEach(function, moments) {
        before = try await token.plain.key(ours).publicKey
        return try await $0.generate(ours, confirmation: .never, replacing: true).publicKey
      } check: { made, moment, place in
        let after = try await token.wholeKey(ours, place)
        switch made {
        case .success(let key): #expect(after == key, "\(place)")
        case .failure: #expect(after == before || moment.kills, "\(place)")
        }
        #expect(try await token.plain.keys().map(\.name) == [ours, theirs], "\(place)")
        #expect(try await token.plain.key(theirs).publicKey == point, "\(place)")
      }
    }

    @Test("a replacement that fails at any call leaves one whole key, and the objects of others", arguments: functions)
    func replacement(_ function: String) async throws {
      let token = try await SharedToken()
      #expect(try await replace(token, function, FaultyModule.Moment.allCases) > 0 || function == "C_CopyObject")
      #expect(token.module.changesInPlace == 0)
      // The next change completes what failed.
      _ = try await token.plain.generate(ours, confirmation: .never, replacing: true)
      let objects = try await token.lab.tool(["--list-objects"]).output
      // Without a signature of the old key it is unknown which public object with its `CKA_ID` belongs to it.
      let count = objects.ranges(of: "label:      ours\n").count
      #expect(count == 2 || function == "C_SignInit", "\(objects)")
    }

    @Test("a deletion that fails at any call leaves the whole key or none, and the objects of others")
    func deletion() async throws {
      let token = try await SharedToken()
      let point = try await token.plain.key(theirs).publicKey
      for function in ["C_SetAttributeValue", "C_CopyObject", "C_DestroyObject"] {
        _ = try await token.failEach(function, FaultyModule.Moment.allCases) { store in
          if try await token.plain.keys().count == 1 {
            _ = try await token.plain.generate(ours, confirmation: .never, replacing: false)
          }
          return try await store.delete(ours)
        } check: { deleted, _, place in
          let names = try await token.plain.keys().map(\.name)
          if names == [ours, theirs] {
            #expect(throws: (any Error).self, "\(place)") { try deleted.get() }
            _ = try await token.wholeKey(ours, place)
          } else {
            #expect(names == [theirs], "\(place)")
          }
          #expect(try await token.plain.key(theirs).publicKey == point, "\(place)")
        }
        // The last deletion reached no call that failed.
        #expect(try await token.plain.keys().map(\.name) == [theirs])
        let objects = try await token.lab.tool(["--list-objects"]).output
        #expect(!objects.contains("label:      ours\n"), "\(objects)")
      }
      #expect(token.module.changesInPlace == 0)
    }

    @Test("a token that copies no objects renames them")
    func withoutCopies() async throws {
      for result in ["CKR_FUNCTION_NOT_SUPPORTED", "CKR_ACTION_PROHIBITED", "CKR_TEMPLATE_INCONSISTENT"] {
        let token = try await SharedToken(copy: result)
        // Without copies a kill can cost the public half.
        for function in Self.functions.dropLast() { _ = try await replace(token, function, [.before, .after]) }
        #expect(token.module.changesInPlace > 0)
        #expect(try await token.faulty.delete(ours))
        let objects = try await token.lab.tool(["--list-objects"]).output
        #expect(objects.ranges(of: "label:      theirs\n").count == 2, "\(objects)")
        #expect(!objects.contains("label:      ours\n"), "\(objects)")
      }
    }
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
