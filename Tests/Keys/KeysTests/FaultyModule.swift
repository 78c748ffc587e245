import Foundation
import TesseraCore
import TestSupport

/// A PKCS#11 module that passes every call to SoftHSM, and fails one of them as a file says.
struct FaultyModule {
  /// When the call fails.
  enum Moment: String {
    /// It is not carried out.
    case before
    /// It is carried out, and reported as a failure: a connection was cut.
    case after
    /// The process is killed while the token writes an object in its place: the object is lost.
    case torn
    /// The process is killed after the call.
    case killed
    /// As `after`, and from then on the token deletes nothing.
    case stuck
    /// It is not carried out, and from then on searches find nothing: the token has more objects than a search finds.
    case blind
    /// It is not carried out, and the token says that it never will be.
    case prohibited

    var kills: Bool { self == .torn || self == .killed }
    static let failures: [Moment] = [.before, .after, .torn, .killed, .stuck, .blind]
  }

  private let folder: TemporaryFolder
  var path: String { folder.file("faulty.so") }

  private static let source = """
    #include <dlfcn.h>
    #include <stdio.h>
    #include <string.h>
    #include <unistd.h>
    #include <p11-kit/pkcs11.h>

    static CK_FUNCTION_LIST *real, list;

    // The file names a function, the number of the call that fails, and the moment; then it is empty. After the moments
    // that kill, it contains "dead", and a process that reads it can change nothing any more; with "stuck" it deletes
    // nothing, and with "blind" it finds nothing.
    static const char *fault(const char *name) {
      static char when[16];
      char function[64];
      int count;
      FILE *file = fopen(FAULT, "r");
      if (!file) return "";
      int found = fscanf(file, "%63s %d %15s", function, &count, when);
      fclose(file);
      if (found == 1 && !strcmp(function, "dead")) return "dead";
      if (found == 1 && !strcmp(function, "stuck")) return strcmp(name, "C_DestroyObject") ? "" : "before";
      if (found == 1 && !strcmp(function, "blind")) return strcmp(name, "C_FindObjects") ? "" : "before";
      if (found != 3 || strcmp(function, name)) return "";
      file = fopen(FAULT, "w");
      if (!file) return "";
      int kills = !strcmp(when, "torn") || !strcmp(when, "killed");
      if (count > 1) fprintf(file, "%s %d %s\\n", function, count - 1, when);
      else if (kills) fputs("dead\\n", file);
      else if (!strcmp(when, "stuck") || !strcmp(when, "blind")) fprintf(file, "%s\\n", when);
      fclose(file);
      return count > 1 ? "" : when;
    }

    #define CALL(name, torn, call) \\
      const char *when = fault(#name); \\
      if (!strcmp(when, "before") || !strcmp(when, "dead") || !strcmp(when, "blind")) return CKR_FUNCTION_FAILED; \\
      if (!strcmp(when, "prohibited")) return CKR_ACTION_PROHIBITED; \\
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
      CK_BBOOL no = CK_FALSE;
      CK_ATTRIBUTE kept[32] = {{CKA_DESTROYABLE, &no, sizeof no}};
      if (!access(FAULT ".kept", F_OK) && n < 32) {
        memcpy(kept + 1, a, n * sizeof *a);
        a = kept;
        n++;
      }
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
      if (COPY == CKR_VENDOR_DEFINED) {
        CK_OBJECT_CLASS class = CKO_PUBLIC_KEY;
        CK_ATTRIBUTE public = {CKA_CLASS, &class, sizeof class};
        CK_OBJECT_HANDLE found[16];
        for (unsigned long left = count(s, &public, 1, found, 16); left > 0; left--)
          if (found[left - 1] != o) *x = found[left - 1];
        return CKR_OK;
      }
      if (COPY != CKR_OK) return COPY;
      CALL(C_CopyObject, real->C_CopyObject(s, o, a, 0, x), (s, o, a, n, x))
    }
    static CK_RV destroy(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE o) { CALL(C_DestroyObject, , (s, o)) }
    static CK_RV find(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE *found, CK_ULONG room, CK_ULONG *number) {
      *number = 0;
      return strcmp(fault("C_FindObjects"), "before") ? real->C_FindObjects(s, found, room, number) : CKR_OK;
    }
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
      list.C_FindObjects = find;
      list.C_SignInit = sign;
      list.C_Initialize = initialize;
      list.C_Finalize = finalize;
      list.C_GetFunctionList = C_GetFunctionList;
      *out = &list;
      return CKR_OK;
    }
    """

  /// - Parameter copy: what `C_CopyObject` always returns; it is carried out if this is `CKR_OK`. With
  ///   `CKR_VENDOR_DEFINED` it returns another object instead of a copy.
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

  /// From then on the public objects of new pairs cannot be deleted.
  func keepPublicObjects() throws { try Data().write(to: folder.url.appending(path: "fault.kept")) }

  /// Whether the call failed.
  func wasReached() throws -> Bool {
    defer { try? FileManager.default.removeItem(atPath: folder.file("fault")) }
    return ["", "dead\n", "stuck\n", "blind\n"].map { Array($0.utf8) }.contains(Array(folder.bytes("fault")))
  }

  /// How often a public object was changed whose private object has its name.
  var changesInPlace: Int { folder.bytes("fault.noted").count }
}
