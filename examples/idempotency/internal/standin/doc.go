// Package standin answers for the operations that no emulator of a package registry does honestly. Each stand-in is written from the API
// reference, counts its effects, and names why it is here; the tests of the examples hold the reasons, so that one which is no longer true
// fails:
//
//   - [Contacts]: moto 5.2.5 and ministack 1.5.33 do not know StartChatContact and StartTaskContact, and connectemu not yet.
//   - [Automations]: neither starts an automation of Systems Manager.
//   - [Instances]: both launch again under the same ClientToken.
//   - [Tasks]: both run again under the same clientToken of RunTask, and neither looks at that of CreateService: under the name of a service
//     that exists, moto answers with a new one and ministack with an error.
//   - [Stacks]: the emulators answer AlreadyExistsException for the name; the two other readings of the reference need a stand-in.
//
// Where the reference is silent, a stand-in has a switch and the tests run every reading.
package standin
