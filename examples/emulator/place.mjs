// Places one call with an emulated Amazon Connect, repeats it, looks at it, finds it and stops it.
// Needs @aws-sdk/client-connect.
import {
  ConnectClient,
  DescribeContactCommand,
  SearchContactsCommand,
  StartOutboundVoiceContactCommand,
  StopContactCommand,
} from '@aws-sdk/client-connect'

const InstanceId = '11111111-2222-4333-8444-555555555555'

async function place(endpoint, token) {
  const client = new ConnectClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  })
  const start = {
    InstanceId,
    ContactFlowId: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee',
    SourcePhoneNumber: '+12025550100',
    DestinationPhoneNumber: '+819000000001',
    ClientToken: token,
    Name: token,
  }
  const first = await client.send(new StartOutboundVoiceContactCommand(start))
  console.log('placed:', first.ContactId)
  const second = await client.send(new StartOutboundVoiceContactCommand(start))
  console.log('repeated, same contact:', second.ContactId === first.ContactId)

  const { ContactId } = first
  const { Contact } = await client.send(new DescribeContactCommand({ InstanceId, ContactId }))
  console.log('described:', Contact.InitiationMethod, Contact.Name)

  const now = Date.now()
  const found = await client.send(
    new SearchContactsCommand({
      InstanceId,
      TimeRange: {
        Type: 'INITIATION_TIMESTAMP',
        StartTime: new Date(now - 3600_000),
        EndTime: new Date(now + 60_000),
      },
      SearchCriteria: { Name: { MatchType: 'MATCH_EXACT', SearchText: [token] } },
    }),
  )
  console.log('found:', found.Contacts.length)

  await client.send(new StopContactCommand({ InstanceId, ContactId }))
  let gone = false
  try {
    await client.send(new StopContactCommand({ InstanceId, ContactId }))
  } catch (error) {
    gone = error.name === 'ContactNotFoundException'
  }
  console.log('stopped, and gone:', gone)
}

await place(process.env.EMULATOR ?? 'http://127.0.0.1:7465', process.argv[2] ?? 'notification-12345')
