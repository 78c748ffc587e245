// The declarations and the client agree: each declared name is there with a type that fits, and no other name is.
import * as client from "./client/tessera.js";
import * as declared from "./tessera.js";

const all: typeof declared = client;

type Undeclared<Client, Declared> = Exclude<keyof Client, keyof Declared>;
type None<Names> = [Names] extends [never] ? true : never;
const none: None<Undeclared<typeof client, typeof declared>> = true;

type Objects = "biometrics" | "camera" | "crypt" | "documents" | "haptic" | "nfc" | "secureStorage";
const noneOfObjects: {[Name in Objects]: None<Undeclared<typeof client[Name], typeof declared[Name]>>} = {
  biometrics: true, camera: true, crypt: true, documents: true, haptic: true, nfc: true, secureStorage: true,
};
void [all, none, noneOfObjects];
