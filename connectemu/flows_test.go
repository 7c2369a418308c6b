package connectemu_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/aws-sdk-go-v2/service/connect/types"

	"github.com/ringonce/ringonce/connectemu"
)

func TestFlowsAreListedWithTheirStatesPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, furnished)
	got := map[string]string{}
	pages := 0
	for next := (*string)(nil); pages == 0 || next != nil; pages++ {
		out, err := w.client.ListContactFlows(t.Context(), &connect.ListContactFlowsInput{
			InstanceId: aws.String(connectemu.DefaultInstance), MaxResults: aws.Int32(2), NextToken: next,
			ContactFlowTypes: []types.ContactFlowType{types.ContactFlowTypeContactFlow, types.ContactFlowTypeAgentHold},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range out.ContactFlowSummaryList {
			got[*f.Id] = fmt.Sprint(f.ContactFlowState, " ", f.ContactFlowStatus)
		}
		next = out.NextToken
	}
	want := map[string]string{flowID: "ACTIVE PUBLISHED", draftID: "ACTIVE SAVED", archivedID: "ARCHIVED PUBLISHED"}
	if fmt.Sprint(got) != fmt.Sprint(want) || pages != 2 {
		t.Errorf("%d pages: %v, want %v", pages, got, want)
	}
}

func TestListsOfFlowsHaveLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, furnished)
	for name, c := range map[string]struct {
		in   connect.ListContactFlowsInput
		code string
		n    int
	}{
		"no such instance": {connect.ListContactFlowsInput{InstanceId: aws.String(nowhere)}, connectemu.CodeNotFound, 0},
		"not finished":     {connect.ListContactFlowsInput{InstanceId: aws.String(unfinished)}, connectemu.CodeNotFound, 0},
		"no GUID":          {connect.ListContactFlowsInput{InstanceId: aws.String("x")}, parameter, 0},
		"no results":       {connect.ListContactFlowsInput{InstanceId: aws.String(connectemu.DefaultInstance), MaxResults: aws.Int32(0)}, parameter, 0},
		"1001 results":     {connect.ListContactFlowsInput{InstanceId: aws.String(connectemu.DefaultInstance), MaxResults: aws.Int32(1001)}, parameter, 0},
		"foreign token":    {connect.ListContactFlowsInput{InstanceId: aws.String(connectemu.DefaultInstance), NextToken: aws.String("?")}, parameter, 0},
		"unknown type": {connect.ListContactFlowsInput{
			InstanceId: aws.String(connectemu.DefaultInstance), ContactFlowTypes: []types.ContactFlowType{"DANCE"},
		}, parameter, 0},
		"other type": {connect.ListContactFlowsInput{
			InstanceId: aws.String(connectemu.DefaultInstance), ContactFlowTypes: []types.ContactFlowType{types.ContactFlowTypeAgentHold},
		}, "", 0},
		"all": {connect.ListContactFlowsInput{InstanceId: aws.String(connectemu.DefaultInstance)}, "", 3},
	} {
		out, err := w.client.ListContactFlows(t.Context(), &c.in)
		if codeOf(err) != c.code || err == nil && len(out.ContactFlowSummaryList) != c.n {
			t.Errorf("%s: %v, %v", name, out, err)
		}
	}
	free := newWorld(t)
	out, err := free.client.ListContactFlows(t.Context(), &connect.ListContactFlowsInput{InstanceId: aws.String(connectemu.DefaultInstance)})
	if err != nil || len(out.ContactFlowSummaryList) != 1 || *out.ContactFlowSummaryList[0].Id != connectemu.DefaultFlow {
		t.Errorf("without a list of flows: %v, %v", out, err)
	}
}

func TestTheSavedContentOfADraftIsDescribed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, furnished)
	out, err := w.client.DescribeContactFlow(t.Context(), &connect.DescribeContactFlowInput{
		InstanceId: aws.String(connectemu.DefaultInstance), ContactFlowId: aws.String(draftID + ":$SAVED"),
	})
	if err != nil || out.ContactFlow.Status != types.ContactFlowStatusSaved || *out.ContactFlow.Id != draftID {
		t.Errorf("%v, %v", out, err)
	}
}
